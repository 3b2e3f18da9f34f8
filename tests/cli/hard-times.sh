# Limits of the system, readers that leave, devices, and mistakes of hands: a message, an exit code, nothing left behind.
. "$ROOT/tests/support/blobs.sh"
blobs 60 2 20
ends() { timeout -s KILL 20 "$@"; }
# The sanitizers need more address space than any limit leaves.
if sh -c 'ulimit -v 4000000 && "$0" version' "$SCDC" >/dev/null 2>&1; then
    for limit in 75000 110000 150000; do
        (ulimit -v $limit && ends "$SCDC" version >/dev/null) && echo "ends"
        (ulimit -v $limit && ends "$SCDC" inspect items.csv | head -n 1)
        (ulimit -v $limit && ends "$SCDC" fit items.csv -o LIMITED -q --threads 2) 2>&1
        echo "[exit $?] $(ls -A LIMITED 2>/dev/null)"
    done
    # Whatever the limit: done, or exit 1 with a reason and nothing left behind, and never no end.
    scdc fit items.csv -a answers.csv -o SMALL -q >/dev/null
    for limit in 90000 200000 260000 310000; do
        for words in "predict SMALL items.csv -o LEFT" "suggest SMALL -o LEFT" "plan SMALL" "report SMALL -o LEFT" "workers SMALL" \
            "update SMALL -a answers.csv --again -o LEFT" "export SMALL -o LEFT" "baseline kmeans items.csv -k 2 -o LEFT"; do
            # shellcheck disable=SC2086 # a list of words
            (ulimit -v $limit && ends "$SCDC" $words -q) >/dev/null 2>complaint
            status=$?
            [ $status = 0 ] || { [ $status = 1 ] && [ ! -e LEFT ] && grep -q '^scdc: out of memory' complaint; } ||
                echo "$limit: $words: exit $status, $(ls -d LEFT* 2>/dev/null) $(cat complaint)"
            rm -rf LEFT
        done
    done
    # Room for one thread: that one does the work.
    scdc fit items.csv -o FREE --epochs 2 -k 4 --hidden 8 --latent 2 -q --threads 2 >summary
    (ulimit -v 420000 && OPENBLAS_NUM_THREADS=1 ends "$SCDC" fit items.csv -o LIMITED --epochs 2 -k 4 --hidden 8 --latent 2 \
        -q --threads 8) >summary
    cmp FREE/labels.csv LIMITED/labels.csv && echo "the same with less room"
    # More room never is too little: threads leave some for the work.
    for limit in $(seq 300000 4000 428000); do
        rm -rf ROOM
        (ulimit -v $limit && ends "$SCDC" fit items.csv -o ROOM --epochs 2 -k 4 --hidden 8 --latent 2 -q --threads 4) >summary ||
            echo "failed with $limit"
    done
else
    printf 'ends\nitems.csv: items\nscdc: out of memory: matrix products need 128 MB of address space for each thread: raise the limit (ulimit -v)\n[exit 1] \n%.0s' 1 2 3
    scdc fit items.csv -o FREE --epochs 2 -k 4 --hidden 8 --latent 2 -q >summary
    echo "the same with less room"
fi
echo "== a limit of file sizes"
(ulimit -f 1 && scdc simulate data blobs --items 1000 -o big.npy) 2>&1 | sed 's/: cannot write: .*/: cannot write/'
ls -A | grep -e big -e tmp
echo "== a reader that leaves"
scdc predict FREE items.csv 2>complaint | head -n 1
scdc inspect items.csv answers.csv --json 2>>complaint | head -c 1
echo
cat complaint
echo "== devices"
try ends "$SCDC" fit /dev/zero -o ZERO | sed 's|^\$.*|fit /dev/zero|'
try scdc fit /dev/null -o ZERO
scdc fit items.csv -a answers.csv -o LINKED -q >/dev/null && rm -f LINKED/log.jsonl LINKED/changes.csv
ln -s /dev/zero LINKED/log.jsonl && ln -s /dev/zero LINKED/changes.csv
ends "$SCDC" report LINKED -q && echo reported
if scdc collect --help >/dev/null 2>&1; then
    for what in checks examples show; do
        ends "$SCDC" collect items.csv -o ZERO --$what /dev/zero </dev/null 2>&1
        echo "[exit $?]"
        rm -rf ZERO
    done
else
    printf 'scdc: /dev/zero: cannot be read as a table of text\n[exit 3]\n%.0s' 1 2 3
fi
echo "== slips"
try scdc --hlep
try scdc --verison
try scdc --jsno
try scdc fit --hlep
# One pair of limits, wherever they are checked.
for prior in 0,1 1e-9,1 1e9,1; do scdc fit items.csv -o PRIOR --set prior_sensitivity=$prior; done 2>&1 | sed 's/, not .*//' | sort -u
echo "== whole numbers with a point"
sed 's/\(,[0-9]*\),\([0-9]*\),/\1.0,\2.0,/' answers.csv >floats.csv
scdc inspect floats.csv >one && scdc inspect answers.csv >two
sed 1d one >one.rest && sed 1d two | cmp - one.rest && echo "the same answers"
printf 'worker,left,right,label\nw,0,12345678901234567890,1\n' >long.csv
try scdc inspect long.csv --data items.csv
scdc inspect long.csv | grep "by name"
echo "== a run in use"
command -v flock >/dev/null || { printf 'scdc: FREE: another command is writing there\nhint: wait for it, or use another -o\n[exit 1]\n'; exit 0; }
flock FREE sleep 20 &
holder=$!
while flock -n FREE true; do sleep 0.05; done
scdc fit items.csv -o FREE --resume 2>&1
echo "[exit $?]"
kill $holder
# A few epochs asked for are a few in all: the warm-up of five items does not take hundreds.
head -n 6 items.csv >five.csv 2>/dev/null || printf 'a,b\n1,2\n2,1\n5,6\n6,5\n5,5\n' >five.csv
scdc fit five.csv -o brief --net mlp --epochs 2 --hidden 5 2>&1 | grep -o 'warm-up, epoch [0-9]*/[0-9]*' | tail -n 1
