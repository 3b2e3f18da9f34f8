# A full disk: exit 1 and a reason, for results on stdout and for files.
[ -c /dev/full ] || skip "/dev/full is not there"
printf 'label\n0\n1\n' >labels.csv
full() {
    echo "\$ scdc $* >/dev/full"
    scdc "$@" 2>&1 >/dev/full
    echo "[exit $?]"
}
full version
full help eval
full eval labels.csv labels.csv
full inspect labels.csv
full inspect labels.csv --json
full demo -q
full simulate data pinwheel -q -o -
# A wrong usage stays one.
full inspect absent.csv
try scdc simulate data pinwheel -o /dev/full
try scdc simulate answers labels.csv -p 1 -w 1 -o /dev/full
