# Processes that differ are found before anything is written; one that dies, a full disk and Ctrl-C leave a checkpoint
# that any number of processes can go on from.
[ -n "${SCDC_MPI:-}" ] || skip "no MPI in this build (tools/setup --mpi)"
command -v prlimit >/dev/null || skip "prlimit (util-linux) is not there"
[ -r /proc/self/environ ] || skip "processes are found through /proc"
. "$ROOT/tests/support/blobs.sh"
. "$ROOT/tests/support/mpi.sh"
blobs 300 5 200
blobs_of() { mkdir -p other && (cd other && blobs "$@"); }
blobs_of 300 5 201
blobs_of_more() { mkdir -p more && (cd more && blobs "$@"); }
blobs_of_more 301 5 200
own_words() { grep -E '^(rank [0-9]+: )?(scdc|hint): ' || true; } # not those of mpirun

differ() { # name, then the words of the second process
    name=$1
    shift
    "$MPIRUN" -n 1 "$SCDC_MPI" fit items.csv -a answers.csv -o new -q : -n 2 "$SCDC_MPI" fit "$@" -q >out 2>&1
    [ $? = 0 ] && echo "$name: exit 0"
    own_words <out | sed 's/with checksum [0-9a-f]*/with checksum X/g'
    [ -e new ] && echo "$name: something was written"
    rm -rf new
}
differ options items.csv -a answers.csv -o new --set batch=77
differ items more/items.csv -a answers.csv -o new
differ answers items.csv -a other/answers.csv -o new
differ "no file" absent.csv -a answers.csv -o new
scdc_mpi 3 fit items.csv -o new -q --set shards=2 2>&1 | own_words

small="-k 6 --epochs 60 --set patience=200 --set batch=20 --set checkpoint=0.05 --hidden 20 --seed 7 -q --threads 1"
# shellcheck disable=SC2086 # several words
scdc fit items.csv -a answers.csv -o whole $small --set shards=16

# The process number $1 of the fit in folder $2.
process() {
    for pid in $(pgrep -f "fit items.csv -a answers.csv -o $PWD/$2 "); do
        tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qxE "(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1" || continue
        case $(readlink "/proc/$pid/exe") in *scdc-mpi*) echo "$pid" ;; esac
    done
}
# Begins the fit in folder $1, has $2 (a function of the folder) do harm once there is a checkpoint, and waits.
harm() {
    # shellcheck disable=SC2086
    scdc_mpi 2 fit items.csv -a answers.csv -o "$PWD/$1" $small >"$1.log" 2>&1 &
    fitting=$!
    while [ ! -e "$1/model.safetensors" ] && kill -0 $fitting 2>/dev/null; do sleep 0.05; done
    $2 "$1"
    wait $fitting
    # What mpirun says after Ctrl-C is its own: MPICH's often ends with 0.
    [ $? = 0 ] && [ "$1" != stopped ] && echo "$1: exit 0"
    find "$1" -name '.*' -o -name '*.tmp*' | grep . && echo "$1: temporary files"
    scdc workers "$1" >/dev/null || echo "$1: no model"
    # shellcheck disable=SC2086
    scdc_mpi 3 fit items.csv -a answers.csv -o "$1" --resume -q --threads 2
    echo "$1: as if nothing had happened: $(same_run whole "$1")"
}
kill_one() { kill -9 "$(process 1 "$1")"; }
fill_disk() { prlimit --pid "$(process 0 "$1")" --fsize=8192; }
interrupt() { kill -INT "$(pgrep -f "$MPIRUN .*-o $PWD/$1 " | head -n 1)"; }
harm killed kill_one
harm disk fill_disk
grep -q 'File too large' disk.log && echo "disk: the reason is told"
harm stopped interrupt
