# The demonstration ends well, is the same every time, and leaves files that other commands read.
scdc demo -q --threads 1 >one || echo "exit $?"
scdc demo --threads 2 >loud 2>/dev/null || echo "exit $?"
sed '/^The report/,$d' loud | sed '$d' >two
cmp one two && echo "the same for any number of threads"
# It ends by naming three commands to try next, all of them in this build.
sed '1,/^To try next/d' loud | while read -r program command _; do
    [ "$program" = scdc ] && scdc help "$command" >/dev/null && echo "a command to try next"
done
head -n 3 one | cut -c 1-36
awk '/ity / { print $1, ($3 > $2 - .05 && $3 < $2 + .05 ? "as it was made" : "found " $3) }' one
scdc demo -q -o RUN --json >scores
scdc eval RUN/labels.csv RUN/truth.csv | cmp - scores && echo "eval agrees"
ls RUN
try scdc inspect RUN/answers.csv --data RUN/items.npy
: >file
try scdc demo -q -o file/RUN
try scdc demo -q -o file
# One that was killed at any moment, here when it has written a file, is replaced by the next.
for file in run.json items.npy answers.csv model.safetensors; do
    rm -rf killed
    "$SCDC" demo -q -o killed >/dev/null 2>&1 &
    pid=$!
    while [ ! -e "killed/$file" ] && kill -0 $pid 2>/dev/null; do sleep 0.005; done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    scdc demo -q -o killed | cmp - one || echo "killed after $file: not replaced"
done
mkdir mine && : >mine/items.npy
try scdc demo -q -o mine
