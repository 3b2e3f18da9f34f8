# The demonstration ends well, is the same every time, and leaves files that other commands read.
scdc demo -q --threads 1 >one || echo "exit $?"
scdc demo -q --threads 2 >two || echo "exit $?"
cmp one two && echo "the same for any number of threads"
head -n 3 one | cut -c 1-36
scdc demo -q -o RUN --json >scores
scdc eval RUN/labels.csv RUN/truth.csv | cmp - scores && echo "eval agrees"
ls RUN
try scdc inspect RUN/answers.csv --data RUN/items.npy
: >file
try scdc demo -q -o file/RUN
