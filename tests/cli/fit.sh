# A fit with both models: what RUN holds, and that predict, workers and sample agree with it.
. "$ROOT/tests/support/blobs.sh"
blobs 240 3 200

for model in bayes amortized; do
    echo "== $model"
    scdc fit items.csv --annotations answers.csv --truth truth.csv -o "$model" --model $model \
        -k 6 --epochs 3 --hidden 20 --latent 2 >stdout 2>stderr
    echo "exit $?"
    ls "$model"
    sed -n 1,2p stderr
    echo "a line per epoch: $(grep -c '^epoch [123]/3: bound ' stderr)"
    echo "summary: $(sed -n '1s/^[0-9]* clusters\{0,1\} of 240 items after 3 epochs.*/found/p' stdout)"
    echo "scores: $(sed -n 's/^ACC [01].*ARI.*against the 4 classes of truth.csv/printed/p' stdout)"

    head -n 1 "$model/labels.csv"
    echo "rows: $(sed 1d "$model/labels.csv" | wc -l)"
    echo "items in order: $(sed 1d "$model/labels.csv" | all '$1 == NR - 1')"
    echo "probabilities: $(sed 1d "$model/labels.csv" | all '$3 > 0 && $3 <= 1')"
    echo "components: $(sed 1d "$model/labels.csv" | all '$4 >= 0 && $4 < 6')"
    head -n 1 "$model/workers.csv"
    echo "workers: $(sed 1d "$model/workers.csv" | cut -d, -f1 | tr '\n' ' ')"
    echo "answers: $(sed 1d "$model/workers.csv" | all '$2 == 40')"
    echo "intervals: $(sed 1d "$model/workers.csv" |
        all '0 <= $4 && $4 < $3 && $3 < $5 && $5 <= 1 && 0 <= $7 && $7 < $6 && $6 < $8 && $8 <= 1')"
    echo "epochs logged: $(grep -c '^{"epoch":[123],"bound":-[0-9.]*,.*"seconds":[0-9.e-]*}$' "$model/log.jsonl")"
    grep -o '"status": "[a-z]*"\|"latent": 2\|"acc": ' "$model/run.json"

    scdc predict "$model" items.csv --annotations answers.csv --together --proba proba.npy >again.csv
    echo "predict: exit $?"
    cmp "$model/labels.csv" again.csv && echo "the labels of the fit"
    scdc predict "$model" items.csv >plain.csv
    echo "rows of predict: $(sed 1d again.csv | wc -l)"
    # 64 or 128 bytes of header, then float rows.
    clusters=$(sed -n 's/^    "clusters": \([0-9]*\),$/\1/p' "$model/run.json")
    skip=$(($(wc -c <proba.npy) - 240 * clusters * 4))
    echo "rows sum to 1: $(od -A n -v -t f4 -w$((clusters * 4)) -j "$skip" proba.npy |
        awk '{ s = 0; for (i = 1; i <= NF; i++) s += $i; if (s < .99999 || s > 1.00001) bad++ }
             END { print (NR == 240 && !bad ? "yes" : "no") }')"

    # One item at a time gives what all at once gave.
    for item in 0 17 239; do
        (sed -n 1p items.csv && sed -n "$((item + 2))p" items.csv) >one.csv
        scdc predict "$model" one.csv | sed 1d | cut -d, -f2-
        sed -n "$((item + 2))p" plain.csv | cut -d, -f2-
    done | paste - - | awk '$1 != $2 { bad++ } END { print "one at a time: " (bad ? "no" : "yes") }'
    scdc predict "$model/model.safetensors" items.csv -q -o again2.csv && cmp plain.csv again2.csv &&
        echo "a model file does as well"

    scdc workers "$model" | head -n 1
    echo "table rows: $(scdc workers "$model" --sort weight | sed 1d | wc -l)"
    scdc workers "$model" --json | cut -c 1-22
    scdc sample "$model" -n 2 -o made.csv -q && head -n 1 made.csv
    echo "made: $(($(sed 1d made.csv | wc -l) / clusters)) of each"
    try scdc sample "$model" -o made.png
done

echo "== clusters from the answers"
for from in answers components; do
    scdc fit items.csv -a answers.csv -o from-$from -k 6 --epochs 2 --hidden 20 --latent 2 \
        --set clusters_from=$from >stdout 2>stderr
    echo "$from: $(grep -c 'learned from the answers' stdout) sentence, $(grep -o '"clusters_from": "[a-z]*"' \
        from-$from/run.json | paste -s -d ' ')"
done

echo "== without answers"
scdc fit items.csv -o alone -k 6 --epochs 2 --hidden 20 --latent 2 -q
scdc predict alone items.csv --together -o again.csv -q
cmp alone/labels.csv again.csv && echo "the labels of the fit"
sed 1d alone/workers.csv | wc -l
try scdc workers alone

echo "== timings"
scdc fit items.csv -o timed -k 6 --epochs 2 --hidden 20 --latent 2 -q --timings
cmp alone/labels.csv timed/labels.csv && echo "the same labels"
sed -n '/"timings"/,/}/p' timed/run.json | sed -n 's/^ *"\([a-z_]*\)": [0-9].*/\1/p' | sort | head -n 3
grep -c timings alone/run.json

echo "== machines"
scdc fit items.csv -o json -k 6 --epochs 1 --hidden 20 -q --json |
    grep -o '^{"run":"json","status":"finished"'
scdc predict json items.csv --json >lines.jsonl
wc -l <lines.jsonl
head -n 1 lines.jsonl | sed -n 's/^{"item":0,"cluster":[0-9].*/item 0 has a cluster/p'
scdc predict json items.csv --json -o x.csv -q | sed 's/"clusters":[0-9]*/"clusters":K/'

echo "== the settings of a preset are those of the model, however it was asked for"
scdc fit items.csv -o by-name --preset pinwheel --model amortized --epochs 1 --quiet >stdout
scdc fit items.csv -o by-set --preset pinwheel --set model=amortized --epochs 1 --quiet >stdout
grep -h -o '"model": "[a-z]*"\|"optimizer": "[a-z]*"' by-name/run.json by-set/run.json
cmp by-name/model.safetensors by-set/model.safetensors && echo "the same model"
