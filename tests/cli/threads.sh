# The number of threads never changes a byte of any file that holds no times, and neither does running again.
. "$ROOT/tests/support/blobs.sh"
blobs 300 5 200
for model in bayes amortized; do
    for threads in 1 2 4; do
        scdc fit items.csv -a answers.csv -o "$model$threads" --model $model -k 6 --epochs 2 --hidden 20 \
            --threads $threads --seed 7 -q
    done
    for threads in 2 4; do
        echo "$model with $threads threads: $(same_run "${model}1" "$model$threads")"
    done
    scdc fit items.csv -a answers.csv -o "${model}8" --model $model -k 6 --epochs 2 --hidden 20 --seed 8 -q
    echo "$model with another seed: $(same_run "${model}1" "${model}8")"
    scdc sample "${model}1" -o one.npy --threads 1 -q
    scdc sample "${model}1" -o two.npy --threads 2 -q
    cmp one.npy two.npy
done
# The paper's recipe keeps the proportions of every epoch as well.
for threads in 1 2; do
    scdc fit items.csv -a answers.csv -o "paper$threads" --recipe paper -k 6 --epochs 3 --hidden 20 --threads $threads -q
done
echo "paper: $(same_run paper1 paper2)"
# Without networks, the default for tables: mixtures in parallel, experts and neighbours weighed.
for threads in 1 2 4; do
    scdc fit items.csv -a answers.csv -o "plain$threads" --threads $threads -q
done
echo "without networks: $(same_run plain1 plain2), $(same_run plain1 plain4)"
# A processor that OpenBLAS does not know has fast products all the same.
if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
    env -u OPENBLAS_CORETYPE OPENBLAS_VERBOSE=2 "$SCDC" version 2>&1 | grep '^Core: ' | tail -n 1 | grep Prescott
fi
true
