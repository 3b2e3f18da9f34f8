# Baselines from files to labels.
scdc simulate data blobs -k 3 -n 90 -d 4 --separation 20 -o items.npy -l truth.csv -q
scdc simulate answers truth.csv -w 3 -p 60 -o answers.csv -q
for method in kmeans gmm itml mpckmeans; do
    scdc baseline $method items.npy -a answers.csv -k 3 -o labels.csv -q
    echo "$method: exit $?"
    scdc eval labels.csv truth.csv
done
head -n 2 labels.csv
echo "answers alone:"
scdc simulate answers truth.csv -w 3 -p 1500 -o many.csv -q
scdc baseline crowdclustering -a many.csv -k 3 -o alone.csv --workers workers.csv --proba p.npy -q
echo "exit $?"
scdc eval alone.csv truth.csv
cut -d, -f1 workers.csv
scdc inspect p.npy --json | grep -o '"items":[0-9]*,"values":[0-9]*'
echo "two components, two views:"
scdc baseline mcvc items.npy --pca 2 -a many.csv -k 3 -o labels.csv --workers workers.csv \
    --set views=2 -q
scdc eval labels.csv truth.csv
cut -d, -f1,4 workers.csv
rm alone.csv workers.csv p.npy many.csv
try scdc baseline kmeans -k 3 -o x.csv
try scdc baseline kmeans items.npy -k 3 -o x.csv --proba x.npy
try scdc baseline itml items.npy -a answers.csv -k 3 -o x.csv --workers x.npy
try scdc baseline kmeans items.npy --pca 5 -k 3 -o x.csv
try scdc baseline kmens items.npy -k 3 -o x.csv
try scdc baseline itml items.npy -k 3 -o x.csv
try scdc baseline kmeans items.npy -o x.csv
try scdc baseline kmeans items.npy -k 3 -o x.csv --set sarts=3
try scdc baseline kmeans items.npy -k 3 -o x.csv --set starts
try scdc baseline kmeans items.npy -k 91 -o x.csv
try scdc baseline kmeans absent.npy -k 3 -o x.csv
ls
