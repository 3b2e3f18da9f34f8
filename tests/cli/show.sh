# Embeddings of pictures: the fit sees the embeddings, the report shows the pictures of a folder.
mkdir pictures
"$SCDC" simulate data blobs --clusters 3 --items 60 --dims 4 --separation 6 --seed 2 -o embeddings.npy -q
# 60 grey pictures of two sizes, the brighter the later.
i=0
while [ $i -lt 60 ]; do
    side=$((4 + i % 2))
    {
        printf 'P2\n%d 3\n255\n' $side
        j=0
        while [ $j -lt $((3 * side)) ]; do echo $((4 * i)); j=$((j + 1)); done
    } >"pictures/$(printf 'p%02d.pgm' $i)"
    i=$((i + 1))
done
echo "not a picture" >pictures/README
run() { scdc fit embeddings.npy -o "$1" --show pictures --seed 1 --threads 1 -q; }
images() { grep -o '<img [^>]*alt="[^"]*' "$1" | sed 's/.*alt="//; s/[0-9][0-9]* items of cluster [0-9]*/items of a cluster/' | grep 'of a cluster' | sort -u; }

run RUN
images RUN/report.html
grep -c 'made up by the model' RUN/report.html
grep -o '"show": "[^"]*"' RUN/run.json
scdc fit embeddings.npy -o plain --seed 1 --threads 1 -q
cmp RUN/model.safetensors plain/model.safetensors && echo "the fit is the same"
images plain/report.html

echo "== the report again"
scdc report RUN -q
images RUN/report.html
mv pictures elsewhere
scdc report RUN 2>&1 | sed 's|(.*/pictures|(pictures|'
images RUN/report.html
scdc report RUN --show elsewhere -q
images RUN/report.html

echo "== by name"
awk 'BEGIN {print "name,a,b"; for (i = 0; i < 60; i++) printf "p%02d,%d,%d\n", i, i % 3 * 10 + i % 7, i % 3 * -9 + i % 5}' >named.csv
scdc fit named.csv -o NAMED --show elsewhere --seed 1 --threads 1 -q
images NAMED/report.html
rm elsewhere/p07.pgm
try scdc fit named.csv -o NEW --show elsewhere --seed 1 -q
try scdc fit embeddings.npy -o NEW --show elsewhere --seed 1 -q
try scdc fit embeddings.npy -o NEW --show nowhere --seed 1 -q
try scdc report RUN --show elsewhere -q
[ -e NEW ] || echo "nothing was made"
