#!/bin/sh
# Runs one transcript test of the program: tests/cli/NAME.sh, whose output must equal NAME.out and
# whose exit status must be 0 (77: skipped). Not a framework: `try` and `skip` are all there is.
# Usage: tests/cli/run.sh NAME [--update]     (--update writes NAME.out from what came out)
# Environment: SCDC = the program (default build/scdc), SCDC_SHARED = folder with data/.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
name=$1
export ROOT="$root"
export SCDC="${SCDC:-$root/build/scdc}"
export SCDC_SHARED="${SCDC_SHARED:-$root/../shared}"
export LC_ALL=C NO_COLOR=1
unset SCDC_DATA

work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM # with what EXIT does
mkdir "$work/home" "$work/in" "$work/tmp"
export HOME="$work/home" TMPDIR="$work/tmp" # where models go that found no other place

cat >"$work/prelude.sh" <<'PRELUDE'
scdc() { "$SCDC" "$@"; }
# Shows a command, what it printed on both streams, and its exit status.
try() {
    echo "\$ $*"
    "$@" 2>&1
    echo "[exit $?]"
}
skip() {
    echo "skipped: $*"
    exit 77
}
PRELUDE

cd "$work/in" || exit 1
export IN_SCRATCH=yes # for scripts that would do harm elsewhere
sh -c '. "$1"; . "$2"' sh "$work/prelude.sh" "$here/$name.sh" >"$work/out" 2>&1
status=$?
if [ "$status" = 77 ]; then
    tail -n 1 "$work/out"
    exit 77
fi
if [ "${2:-}" = --update ]; then
    cp "$work/out" "$here/$name.out"
    exit "$status"
fi
if ! diff -u "$here/$name.out" "$work/out"; then
    echo "$name: the output differs from tests/cli/$name.out"
    echo "(if the new output is right: tests/cli/run.sh $name --update)"
    exit 1
fi
if [ "$status" != 0 ]; then
    echo "$name: the script ended with status $status"
    exit 1
fi
