# An experiment of the paper in its quick version: what it leaves, going on after an interruption,
# and what it refuses.
run() { scdc reproduce pinwheel --quick --threads 1 "$@"; }
# Without what depends on the clock, the day and the folder's name.
timeless() {
    sed '/seconds of a fit/,/^ *\]/d; /"command"/d; /"date"/d' "$1/result.json"
}

run -o whole 2>err | sed 's/  *$//; /seconds of a fit/d' >table
sed -n '1,2p' table | sed 's/   */  /g'
wc -l <table
sed 's/: ACC .*//' err
ls whole whole/labels
grep -c '^| ' whole/result.md

echo "== again"
cp -r whole before
run -o whole 2>&1 | grep -v '^ '
diff -r before whole | grep -v '^diff' | sed 's/^\(.\).*\("date"\|, scdc\).*/\1 date/' | grep -v date

echo "== interrupted"
"$SCDC" reproduce pinwheel --quick --threads 1 -o cut >stdout 2>stderr &
pid=$!
while [ "$(wc -l 2>/dev/null <cut/runs.csv || echo 0)" -lt 3 ]; do
    kill -0 $pid 2>/dev/null || break
    sleep 0.01
done
kill -s INT $pid
wait $pid
echo "exit $?"
tail -n 1 stderr
wc -c <stdout
early=$([ "$(wc -l <cut/runs.csv)" -lt 9 ] && echo yes)
echo "stopped early: $early"
printf 'pinwheel-quick,bayes,def' >>cut/runs.csv # as a power failure leaves it
run -o cut -q --json | grep -c '"tables"'
timeless whole >a
timeless cut >b
cmp a b && echo "the same results"
cmp whole/default-with.svg cut/default-with.svg && echo "the same figures"

echo "== more runs, and only some"
run -o whole --seeds 3 --only paper --only none 2>&1 | grep -c '^5/3\|^3/3 bayes, paper, none, seed 3'
try run -o whole --only nobody -q

echo "== refused"
try scdc reproduce pinweel -o new
try scdc reproduce -o new
try scdc reproduce pinwheel
mkdir full && echo mine >full/file
try scdc reproduce pinwheel -o full
ls full
try scdc reproduce pinwheel -o whole -q
try scdc reproduce pinwheel -o err
sed -i '3s/,[0-9.]*,/,x,/' cut/runs.csv
try run -o cut -q
[ -e new ] || echo "nothing was made"
