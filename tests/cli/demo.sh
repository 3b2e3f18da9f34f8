# The demonstration ends well, is the same every time, and leaves files that other commands read.
scdc demo -q --threads 1 >one || echo "exit $?"
scdc demo -q --threads 2 >two || echo "exit $?"
cmp one two && echo "the same for any number of threads"
head -n 3 one | cut -c 1-36
awk '/ity / { print $1, ($3 > $2 - .05 && $3 < $2 + .05 ? "as it was made" : "found " $3) }' one
scdc demo -q -o RUN --json >scores
scdc eval RUN/labels.csv RUN/truth.csv | cmp - scores && echo "eval agrees"
ls RUN
try scdc inspect RUN/answers.csv --data RUN/items.npy
: >file
try scdc demo -q -o file/RUN
try scdc demo -q -o file
# One that was killed at any moment is replaced by the next.
for pause in 0 0.02 0.1 0.3; do
    "$SCDC" demo -q -o killed >/dev/null 2>&1 &
    sleep $pause
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    scdc demo -q -o killed | cmp - one || echo "killed after $pause s: not replaced"
done
mkdir mine && : >mine/items.npy
try scdc demo -q -o mine
