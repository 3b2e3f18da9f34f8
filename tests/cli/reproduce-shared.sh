# The experiments that need data sets, in their quick versions, and what is said when data is missing.
real="$SCDC_SHARED/data"
try scdc reproduce face --data nowhere -o new
[ -e new ] || echo "nothing was made"
try scdc reproduce face --quick -o new | sed "s|$HOME|HOME|"
[ -d "$real/cmu_faces/faces_4" ] || skip "$real is not there"
run() { scdc reproduce "$@" --quick --threads 1 --data "$real"; }

echo "== face"
run face -o face --only all-200 2>err | grep '^[A-Z]'
# CSPA needs a build with METIS.
sed 's/: ACC .*//; s|^[0-9/]* ||; /^cspa/d' err
ls face
# The scores are real: of four poses, chance gives 0.
awk -F, '$2 == "mcvc" && $7 > 0.4 {print "mcvc is far from chance"}' face/runs.csv

echo "== mnist"
run mnist -o mnist --only real --only bayes 2>err | grep '^[A-Z]'
sed 's/: ACC .*//' err
ls mnist
file() { od -A n -t x1 -N 4 "mnist/$1" | tr -d ' '; }
file samples-epoch-001.png
# Another number of epochs is another run of the paper's recipe, and of no other.
run mnist -o mnist --only real --only bayes --epochs 1 2>&1 >table | sed 's/: ACC .*//'
sed -n '/^BayesSCDC with answers/,/^$/s/^  epochs  *//p' table

echo "== cifar10"
[ -f "$real/cifar10_crowd/groupings.csv" ] || skip "$real has no answers about CIFAR-10"
run cifar10 -o cifar10 --only amortized 2>err | grep '^[A-Z]'
sed 's/: ACC .*//' err
run cifar10 -o cifar10 --only deep-mcvc 2>&1 >table | sed 's/: ACC .*//'
grep -o '  SCDC with answers, paper recipe *[^ ]* ± [^ ]* *[^ ]* ± [^ ]*' table | tr -s ' '
ls cifar10
od -A n -t x1 -N 4 cifar10/certain-paper-answers.png | tr -d ' '
