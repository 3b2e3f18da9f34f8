# A network taught at the end of a fit: the same bytes for any number of threads, saved with the model and used by
# predict; words that are none are refused.
scdc simulate data blobs --items 300 --clusters 3 --dims 8 -o items.npy --labels truth.csv -q
scdc simulate answers truth.csv --workers 4 --pairs 400 --items 80 -o answers.csv -q
for threads in 1 2; do
    scdc fit items.npy -a answers.csv --classifier dense --threads $threads -o run$threads -q >/dev/null
done
cmp run1/model.safetensors run2/model.safetensors && echo "same model"
cmp run1/labels.csv run2/labels.csv && echo "same labels"
echo "models with a network: $(grep -al 'pupil.layers' run1/model.safetensors | wc -l)"
scdc predict run1 items.npy -o placed.csv -q
scdc eval placed.csv truth.csv --json | grep -q '"acc": *\(1\|0\.9\)' && echo "placed well"
try scdc fit items.npy -a answers.csv --classifier forest -o run3
try scdc fit items.npy -a answers.csv --augment mirror -o run3
