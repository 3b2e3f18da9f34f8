# As many clusters as are asked for, each with items, and every file tells the same number.
. "$ROOT/tests/support/blobs.sh"
blobs 240 4 300
used() { tail -n +2 "$1/labels.csv" | cut -d, -f2 | sort -u | wc -l | tr -d ' '; }
told() { sed -n 's/.*"clusters": *\([0-9]*\).*/\1/p' "$1/run.json" | tail -n 1; }
for g in 2 3 4; do
    scdc fit items.csv -o alone$g --clusters $g -q
    scdc fit items.csv -a answers.csv -o asked$g --clusters $g -q
    echo "$g: $(used alone$g) without answers, $(used asked$g) with; run.json: $(told alone$g), $(told asked$g)"
done
# Found by itself: run.json counts what labels.csv holds, with one thread or more, with networks or without.
scdc fit items.csv -a answers.csv -o auto -q
scdc fit items.csv -a answers.csv -o net --net mlp --epochs 3 -q
scdc fit items.csv -o bare -q
for run in auto net bare; do
    [ "$(used $run)" = "$(told $run)" ] && echo "$run: run.json counts the clusters of labels.csv"
done
scdc predict auto items.csv -o new.csv -q
[ "$(tail -n +2 new.csv | cut -d, -f2 | sort -u | wc -l)" -le "$(told auto)" ] && echo "new items: no other clusters"
# More than the items can tell apart is an error that says so, and leaves no labels behind; any number up to the components may be
# tried, and what comes out has it or is refused.
for g in 5 7 9; do
    if scdc fit items.csv -o many$g --clusters $g -q 2>message; then
        [ "$(used many$g)" = $g ] || echo "$g asked for, $(used many$g) given"
    else
        grep -q "$g clusters were asked for, but items and answers tell only" message || cat message
        ls many$g/labels.csv 2>/dev/null
    fi
done
# What a fit does not do for so many clusters it says.
scdc simulate data blobs -k 80 -n 960 -d 6 --separation 60 --spread 0.2 -o crowded.npy --labels crowded.csv -q
scdc simulate answers crowded.csv -o crowded-answers.csv -p 500 -q
scdc fit crowded.npy -a crowded-answers.csv -k 90 -o crowded 2>/dev/null | grep -A1 "more than 64"
head -n 13 items.csv >few.csv
scdc fit few.csv -o none --clusters 13 -q || echo "exit $?"
ls none 2>/dev/null
true
