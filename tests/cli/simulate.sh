# Synthetic items and answers: what comes out, that a seed decides it, and refusals.
try scdc simulate data pinwheel -o wheel.npy --labels wheel.csv
try scdc simulate data pinwheel -o again.npy --labels again.csv --quiet --seed 1
cmp wheel.npy again.npy && cmp wheel.csv again.csv && echo "the same seed, the same file"
try scdc simulate data pinwheel -o other.npy -q --seed=7
cmp wheel.npy other.npy >differ || echo "another seed, another file"
try scdc simulate data blobs -k 3 -n 60 -d4 -o blobs.npy -l blobs.csv --json
try scdc inspect wheel.csv blobs.npy
try scdc simulate answers wheel.csv -w 20 -p 980 --items 100 -o answers.csv
try scdc simulate answers wheel.csv -w 20 -p 980 --items 100 -o answers2.csv -q
cmp answers.csv answers2.csv && echo "the same seed, the same file"
try scdc simulate answers wheel.csv -w 3 --sensitivity .95,.9 -a .6 -b .99 -p 90 -o skill.csv --json
try scdc simulate answers wheel.csv --scheme grid --tasks 4 --grid 6 -w 2 -o grid.csv
head -n 1 answers.csv grid.csv
scdc simulate data pinwheel -o - -q | cmp - wheel.npy && echo "to standard output"
# Nothing is left of a file that could not be written.
try scdc simulate data blobs -o absent/blobs.npy
# Refusals.
try scdc simulate
try scdc simulate dta
try scdc simulate data
try scdc simulate data pinweel
try scdc simulate data pinwheel
try scdc simulate data pinwheel -o
try scdc simulate data pinwheel -o x.npy --arms 0
try scdc simulate data pinwheel -o x.npy --arms 2.5
try scdc simulate data pinwheel -o x.npy --radial -1
try scdc simulate data pinwheel -o x.npy --radial nan
try scdc simulate data blobs -o x.npy --spred 1
try scdc simulate answers wheel.csv -o x.csv --scheme grit
try scdc simulate answers wheel.csv -o x.csv --sensitivity 1.5
try scdc simulate answers wheel.csv -o x.csv --sensitivity .9,,.8
try scdc simulate answers wheel.csv -o x.csv -w 3 --sensitivity .9,.8
try scdc simulate answers absent.csv -o x.csv
ls
