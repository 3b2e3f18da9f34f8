# What cannot be written is an error, not silence.
# The reader is gone before the first byte: a pipe opened for both, read end closed.
mkfifo pipe
(
    exec 3<>pipe
    exec 4>pipe 3<&-
    scdc version >&4 2>message
    echo "closed pipe: exit $?"
)
cat message
scdc version >&- 2>message
echo "closed stdout: exit $?"
cat message
# Bytes that are no text do not reach the terminal; other letters do.
scdc eval "$(printf 'b\303\244r\377\302\233m\033[1m')" truth.csv || echo "exit $?"
