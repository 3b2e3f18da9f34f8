# Interrupting and resuming: as if nothing had happened.
. "$ROOT/tests/support/blobs.sh"
blobs 500 5 300

# interrupt RUN SIGNAL OPTIONS: starts a fit, sends the signal after two epochs, waits.
interrupt() {
    : >stderr
    "$SCDC" fit items.csv -a answers.csv -o "$1" $3 >stdout 2>stderr &
    pid=$!
    while ! grep -q '^epoch 2/' stderr; do
        kill -0 $pid 2>/dev/null || break
        sleep 0.01
    done
    kill -s "$2" $pid
    wait $pid 2>/dev/null
    echo "exit $?"
}

for model in bayes amortized; do
    echo "== $model"
    options="--model $model -k 6 --epochs 400 --hidden 20 --threads 1 --set patience=1000"
    scdc fit items.csv -a answers.csv -o "$model" $options -q
    interrupt "cut-$model" INT "$options"
    tail -n 2 stderr | sed 's/after [0-9]* epochs/after N epochs/'
    ls "cut-$model"
    grep -o '"status": "[a-z]*"' "cut-$model/run.json"
    done_so_far=$(wc -l <"cut-$model/log.jsonl")
    echo "stopped early: $([ "$done_so_far" -lt 400 ] && echo yes || echo no)"
    try scdc fit items.csv -a answers.csv -o "cut-$model" $options
    scdc fit items.csv -a answers.csv -o "cut-$model" $options --resume -q
    echo "resumed: exit $?"
    grep -o '"status": "[a-z]*"' "cut-$model/run.json"
    echo "the same files: $(same_run "$model" "cut-$model")"
    for run in "$model" "cut-$model"; do
        sed 's/,"seconds".*//' "$run/log.jsonl" >"$run.log"
    done
    cmp "$model.log" "cut-$model.log" && echo "the same log"
done

# Is every epoch there once, in order, with its seconds? Says up to which, or no.
epochs_of() {
    sed -n 's/^{"epoch":\([0-9]*\),.*"seconds":[0-9.e-]*}$/\1/p' "$1/log.jsonl" |
        awk '$1 != NR { bad = 1 } END { print (bad ? "no" : NR) }'
}

echo "== SIGTERM and checkpoints"
interrupt cut-term TERM "-k 6 --epochs 400 --hidden 20 --threads 1 --set patience=1000"
grep -o '"status": "[a-z]*"' cut-term/run.json
interrupt cut-kill KILL "-k 6 --epochs 100 --hidden 20 --threads 1 --set patience=1000 --set checkpoint=0.001"
grep -o '"status": "[a-z]*"' cut-kill/run.json
scdc fit items.csv -a answers.csv -o cut-kill --resume -q
echo "resumed after the kill: exit $?"
echo "epochs in the log: $(epochs_of cut-kill) of $(wc -l <cut-kill/log.jsonl)"
# Lines are there as soon as their epochs are done, also of a fit that never saves anything.
interrupt no-model KILL "-k 6 --epochs 100000 --hidden 20 --threads 1 --set patience=100000 --set checkpoint=0"
echo "logged before the kill: $([ "$(epochs_of no-model)" -ge 2 ] && echo yes)"
# Resumed, such a fit begins anew with the options it had, and with no others.
try scdc fit items.csv -a answers.csv -o no-model --resume -k 7 -q
try scdc fit items.csv -o no-model --resume -q
scdc fit items.csv -a answers.csv -o no-model --resume --epochs 2 >summary 2>messages
grep 'begins anew' messages
grep -o '"components": 6,\|"patience": 100000,\|"epochs": 2,' no-model/run.json | sort -u
rm no-model/model.safetensors
scdc fit items.csv -o no-model -k 6 --epochs 3 --hidden 20 -q
echo "begun anew: $(epochs_of no-model) of $(wc -l <no-model/log.jsonl)"
# A log with a line too many, a broken one and one too few is mended; what nobody knows is null.
cp no-model/log.jsonl kept.jsonl
(sed 2d kept.jsonl && sed -n '3s/:3,/:4,/p' kept.jsonl && printf '{"epoch":') >no-model/log.jsonl
scdc fit items.csv -o no-model --resume --epochs 5 -q
sed 's/^{"epoch":\([0-9]*\),.*"seconds":\(n*\).*}$/\1 \2/' no-model/log.jsonl
scdc fit items.csv -o starts -k 6 --epochs 3 --restarts 3 --hidden 20 -q
echo "of several starts the one that was kept: $(epochs_of starts) of $(wc -l <starts/log.jsonl)"

echo "== what cannot be resumed"
try scdc fit items.csv -a answers.csv -o nothing --resume
ls nothing 2>/dev/null
try scdc fit items.csv -o bayes --resume --epochs 401 -q
try scdc fit items.csv -a answers.csv -o bayes --resume --epochs 401 --latent 3 -q
try scdc fit items.csv -a answers.csv -o bayes --resume --epochs 300 -q
(cat items.csv && tail -n 1 items.csv) >more.csv
try scdc fit more.csv -a answers.csv -o bayes --resume --epochs 401 -q
sed '2s/^-\{0,1\}[0-9]/9/' items.csv >other.csv
scdc fit other.csv -a answers.csv -o bayes --resume --epochs 401 -q 2>&1 | sed 's/(checksum.*/(...)/'
sed '$d' answers.csv >less.csv
try scdc fit items.csv -a less.csv -o bayes --resume --epochs 401 -q
try scdc fit items.csv -a answers.csv -o bayes -q
echo "untouched: $(same_run bayes cut-bayes)"
try scdc fit items.csv -a answers.csv -o bayes --resume -q
scdc fit items.csv -a answers.csv -o bayes --resume --epochs 401 -q
echo "epochs in the log: $(epochs_of bayes)"
