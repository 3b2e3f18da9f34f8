# The number of threads never changes a byte, and neither does running again.
. "$ROOT/tests/support/blobs.sh"
blobs 300 5 200
for model in bayes amortized; do
    for threads in 1 2 4; do
        scdc fit items.csv -a answers.csv -o "$model$threads" --model $model -k 6 --epochs 2 --hidden 20 \
            --threads $threads --seed 7 -q
    done
    for threads in 2 4; do
        cmp "${model}1/labels.csv" "$model$threads/labels.csv"
        cmp "${model}1/workers.csv" "$model$threads/workers.csv"
        echo "$model with $threads threads: $(same_model "${model}1" "$model$threads")"
    done
    scdc fit items.csv -a answers.csv -o "${model}8" --model $model -k 6 --epochs 2 --hidden 20 --seed 8 -q
    echo "$model with another seed: $(same_model "${model}1" "${model}8")"
    scdc sample "${model}1" -o one.npy --threads 1 -q
    scdc sample "${model}1" -o two.npy --threads 2 -q
    cmp one.npy two.npy
done
# The paper's recipe keeps the proportions of every epoch as well.
for threads in 1 2; do
    scdc fit items.csv -a answers.csv -o "paper$threads" --recipe paper -k 6 --epochs 3 --hidden 20 --threads $threads -q
done
echo "paper: $(same_model paper1 paper2)"
# A single other byte of the model, of an epoch's record but its seconds, or of the header, is seen.
size=$(wc -c <paper1/model.safetensors)
for at in 100 $((size / 2)) $((size - 1)); do
    mkdir -p other && cp paper1/model.safetensors other
    printf '\377' | dd of=other/model.safetensors bs=1 seek=$at conv=notrunc 2>/dev/null
    echo "byte $at of paper: $(same_model paper1 other)" | sed 's/byte [0-9]*/one byte/'
done
