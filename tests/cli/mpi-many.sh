# Of more items than a process should hold, each process keeps its own: the bytes are those of one
# process, whether networks or answers tell the clusters.
[ -n "${SCDC_MPI:-}" ] || skip "no MPI in this build (tools/setup --mpi)"
. "$ROOT/tests/support/blobs.sh"
. "$ROOT/tests/support/mpi.sh"
scdc simulate data blobs -k 4 -n 260000 -d 3 -o items.npy --labels truth.csv -q
scdc simulate answers truth.csv -p 200 -n 60 -o answers.csv -q
small="-k 6 --epochs 1 --set warmup=1 --hidden 5 --set batch=20000 --seed 3"
for from in components answers; do
    # shellcheck disable=SC2086 # several words
    scdc fit items.npy -a answers.csv -o "$from" $small --set clusters_from=$from --set shards=16 --threads 2 >out 2>&1
    grep "by itself" out
    # shellcheck disable=SC2086
    scdc_mpi 3 fit items.npy -a answers.csv -o "${from}3" --truth truth.csv $small --set clusters_from=$from --threads 1 -q >/dev/null
    echo "$from by 3: $(same_run "$from" "${from}3")"
    scdc eval "$from/labels.csv" truth.csv --json >scores
    echo "most are right: $(sed 's/.*"acc":\([0-9.]*\).*/\1/' scores | all '$1 > 0.5')"
done
