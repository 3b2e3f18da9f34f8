# The help of the program and of every command.
try scdc --help
try scdc help simulate
# Commands that this build may do without.
if scdc help collect >one 2>&1; then cat one; else skip "built without scdc collect"; fi
# Without the methods and their keys: those are the library's.
scdc help baseline | sed '/^Methods/,/^Example/d'
# Without the options that are keys of the library.
scdc help fit | sed '/^ *--preset/,/^$/d; /^More keys/,/^Example/d'
for command in "collect export" demo eval export import inspect predict report reproduce sample "simulate data pinwheel" "simulate data blobs" \
    "simulate answers" version workers; do
    # shellcheck disable=SC2086
    try scdc help $command
done
scdc inspect --help >long
scdc inspect x --json -h | cmp - long && echo "help wins over everything else"
# Nothing is wider than a terminal.
for command in fit baseline reproduce; do
    scdc help $command | awk -v c=$command 'length > 92 { print c ": " length ": " $0 }'
done
