# A fit by several processes has the bytes of a fit by one, whatever their number and their threads.
[ -n "${SCDC_MPI:-}" ] || skip "no MPI in this build (tools/setup --mpi)"
. "$ROOT/tests/support/blobs.sh"
. "$ROOT/tests/support/mpi.sh"
blobs 300 5 200
small="-k 6 --epochs 2 --hidden 20 --seed 7 -q"
for model in bayes amortized; do
    # shellcheck disable=SC2086 # several words
    scdc fit items.csv -a answers.csv -o "${model}0" --model $model $small --set shards=16 --threads 2
    for processes in 1 2 3 4; do
        # shellcheck disable=SC2086
        scdc_mpi $processes fit items.csv -a answers.csv -o "$model$processes" --model $model $small --threads 1
        echo "$model by $processes: $(same_run "${model}0" "$model$processes")"
    done
done
# shellcheck disable=SC2086
scdc_mpi 2 fit items.csv -a answers.csv -o other $small --set shards=5 --threads 1
echo "other shards: $(same_run bayes0 other)"
# Starts are shared out, one process some of them.
# shellcheck disable=SC2086
scdc fit items.csv -a answers.csv -o starts0 $small --restarts 3 --set shards=16 --threads 1
# shellcheck disable=SC2086
scdc_mpi 2 fit items.csv -a answers.csv -o starts2 $small --restarts 3 --threads 1
echo "starts: $(same_run starts0 starts2)"
