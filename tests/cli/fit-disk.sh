# A disk that fills up: an error, nothing half-written, nothing older lost. A limit on the size of
# files stands in for the disk.
. "$ROOT/tests/support/blobs.sh"
blobs 60 3 50
trap '' XFSZ
scdc fit items.csv -a answers.csv -o run -k 4 --epochs 1 -q
cp -r run before
(
    ulimit -f 16 # of 512 bytes
    scdc fit items.csv -a answers.csv -o run --resume --epochs 2 -q
    echo "resume: exit $?"
    scdc fit items.csv -a answers.csv -o new -k 4 --epochs 1 -q
    echo "new: exit $?"
) 2>&1 | sed 's/: File too large/: no room/; s|/.*/run/|run/|'
diff -r run before && echo "run is as it was"
ls -A new
echo "the older model works: $(scdc predict run items.csv | wc -l) lines"
if [ -c /dev/full ]; then
    try scdc predict run items.csv -o /dev/full
    scdc predict run items.csv >/dev/full
    echo "exit $?"
fi
