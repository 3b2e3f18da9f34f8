# What a fit refuses, and that it leaves nothing behind.
. "$ROOT/tests/support/blobs.sh"
blobs 60 3 50
refused() {
    try scdc fit "$@" -o run -q
    [ -e run ] && echo "run was left behind" && rm -r run
}

echo "== usage"
try scdc fit items.csv
try scdc fit -o run
refused items.csv -k 61
refused items.csv -k 0
refused items.csv --latent 0
refused items.csv --clusters 5 -k 3
refused items.csv --hidden 10,x
refused items.csv --model bays
refused items.csv --preset minst
refused items.csv --epochs 2.5
refused items.csv --seed -1
refused items.csv --set learning-rate=1
refused items.csv --set lattent=3
refused items.csv --set latent
refused items.csv --set qwertyuiop=3
refused items.csv --set =3
refused items.csv --likelihood bernoulli

echo "== inputs"
refused none.csv
refused items.csv -a none.csv
refused items.csv --truth none.csv
sed '$d' truth.csv >short.csv
refused items.csv --truth short.csv
(cat answers.csv && echo w1,3,60,1) >beyond.csv
refused items.csv -a beyond.csv
printf 'a,b\n1,2\n3,four\n' >text.csv
refused text.csv

echo "== the directory"
mkdir other
echo precious >other/file
try scdc fit items.csv -o other -q
try scdc fit items.csv -o other/file -q
try scdc fit items.csv -o items.csv -q
echo '{"no": "run of ours"}' >other/run.json
try scdc fit items.csv -o other -q
cat other/file other/run.json
ls other
mkdir empty
scdc fit items.csv -o empty -k 4 --epochs 1 -q
echo "an empty directory: exit $?"
scdc fit items.csv -o deep/er/run -k 4 --epochs 1 -q
echo "new directories: exit $?"
try scdc fit items.csv -o empty -k 4 --epochs 1 -q

echo "== one at a time"
"$SCDC" fit items.csv -o busy -k 4 --net mlp --set warmup=10000 -q &
pid=$!
while [ ! -e busy/run.json ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
try scdc fit items.csv -o busy -k 4 -q
kill -s KILL $pid
wait $pid 2>/dev/null
# Killed before anything was saved: begins anew, and clears away what was half-written.
echo half >busy/.scdc-1-0.tmp
scdc fit items.csv -o busy -k 4 --epochs 1 -q
echo "again: exit $?"
find busy -name '.*.tmp'
# Items that somebody shortens or replaces while they are in use.
scdc simulate data blobs -n 40000 -d 16 -o big.npy -q
begin_big() {
    : >stderr
    "$SCDC" fit big.npy -o "$1" --epochs 3 -k 6 --hidden 8 --set warmup=40 --threads 1 >/dev/null 2>stderr &
    pid=$!
    while ! grep -q '^warm-up' stderr && kill -0 $pid 2>/dev/null; do sleep 0.01; done
}
begin_big kept
cp big.npy copy.npy && mv copy.npy big.npy
kill -INT $pid
wait $pid
echo "replaced: exit $?"
begin_big lost
: >big.npy
wait $pid
echo "shortened: exit $?"
tail -n 2 stderr
echo "== labels where items belong"
printf 'item,label\n0,1\n1,0\n2,1\n' >classes.csv
try scdc fit classes.csv -o LABELS
printf 'item,weight\n0,1\n1,0\n2,1\n' >weights.csv
scdc inspect weights.csv | head -n 1
[ -e LABELS ] || echo "nothing was left behind"
