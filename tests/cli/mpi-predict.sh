# Items placed by several processes: the bytes of scdc predict, from arrays, tables and pipes.
[ -n "${SCDC_MPI:-}" ] || skip "no MPI in this build (tools/setup --mpi)"
. "$ROOT/tests/support/mpi.sh"
scdc simulate data blobs -k 4 -n 1700 -d 3 -o items.npy -l truth.csv -q
scdc simulate answers truth.csv -o answers.csv --pairs 200 -q
scdc fit items.npy -a answers.csv -o run -k 6 --epochs 1 --hidden 10 --seed 7 -q --threads 1
awk 'BEGIN { print "id,a,b,c"; for (i = 0; i < 1700; i++) print "n" i "," i % 7 "," i % 11 - 5 "," i % 13 }' >named.csv
scdc predict run items.npy -o labels.csv --proba proba.npy -q
scdc predict run named.csv -o named-labels.csv --proba named-proba.npy -q
scdc predict run items.npy -a answers.csv --together -o together.csv -q

placed() { # PROCESSES ITEMS NAME: are labels and probabilities the bytes of NAMElabels.csv and NAMEproba.npy?
    scdc_mpi "$1" predict run "$2" -o l.csv --proba p.npy -q --threads 1
    cmp "${3}labels.csv" l.csv && cmp "${3}proba.npy" p.npy && echo "$2 by $1: yes"
}
for processes in 1 2 3 4; do placed $processes items.npy ""; done
placed 3 named.csv named-
placed 2 - "" <items.npy
scdc_mpi 3 predict run items.npy -a answers.csv --together -o l.csv -q --threads 1
cmp together.csv l.csv && echo "together: yes"
scdc_mpi 2 predict run items.npy -q | cmp labels.csv - && echo "to standard output: yes"

own_words() { grep -E '^(rank [0-9]+: )?(scdc|hint): ' || true; } # not those of mpirun
head -c 20000 items.npy >short.npy
rm -f l.csv
scdc_mpi 3 predict run short.npy -o l.csv 2>&1 | own_words
sed '1300s/.*/n1298,1,2,x/' named.csv >wrong.csv
scdc_mpi 2 predict run wrong.csv -o l.csv 2>&1 | own_words
scdc_mpi 2 predict run items.npy --json 2>&1 | own_words
"$MPIRUN" -n 1 "$SCDC_MPI" predict run items.npy -o l.csv : -n 1 "$SCDC_MPI" predict run named.csv -o l.csv 2>&1 | own_words
[ -e l.csv ] && echo "half a file was written"
scdc_mpi 2 eval labels.csv truth.csv --json | grep -c acc
