# Baselines from files to labels.
scdc simulate data blobs -k 3 -n 90 -d 4 --separation 20 -o items.npy -l truth.csv -q
scdc simulate answers truth.csv -w 3 -p 60 -o answers.csv -q
for method in kmeans gmm itml mpckmeans; do
    scdc baseline $method items.npy -a answers.csv -k 3 -o labels.csv -q
    echo "$method: exit $?"
    scdc eval labels.csv truth.csv
done
head -n 2 labels.csv
try scdc baseline kmens items.npy -k 3 -o x.csv
try scdc baseline itml items.npy -k 3 -o x.csv
try scdc baseline kmeans items.npy -o x.csv
try scdc baseline kmeans items.npy -k 3 -o x.csv --set sarts=3
try scdc baseline kmeans items.npy -k 3 -o x.csv --set starts
try scdc baseline kmeans items.npy -k 91 -o x.csv
try scdc baseline kmeans absent.npy -k 3 -o x.csv
ls
