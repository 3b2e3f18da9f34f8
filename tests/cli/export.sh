# Results in the forms other tools read.
. "$ROOT/tests/support/blobs.sh"
blobs 120 3 200
awk -F, 'NR == 1 { print "id," $0; next } { print "pic-" NR - 2 ".png," $0 }' items.csv >named.csv
awk -F, -v OFS=, 'NR > 1 { $2 = "pic-" $2 ".png"; $3 = "pic-" $3 ".png" } { print }' answers.csv >about.csv
scdc fit named.csv --annotations about.csv -k 6 --epochs 3 --hidden 20 --latent 2 -q -o RUN >summary
# csv is what the run itself holds.
scdc export RUN -o again.csv && cmp again.csv RUN/labels.csv && echo "the same labels"
scdc export RUN --what workers -o workers.csv && cmp workers.csv RUN/workers.csv && echo "the same workers"
# A line or a task for each item, with the cluster of labels.csv.
scdc export RUN --to jsonl | sed -n '1,2s/"probability":[^,]*,"component":[^}]*/.../p' >lines
sed 's/"cluster":[0-9]*/"cluster":C/' lines
awk -F, 'NR == 2 || NR == 3 { print $2 }' RUN/labels.csv >clusters
sed 's/.*"cluster":\([0-9]*\).*/\1/' lines | cmp - clusters && echo "the same clusters"
scdc export RUN --to jsonl | wc -l | tr -d ' '
scdc export RUN --to jsonl --what workers | sed -n '1{s/:[0-9.-]*[0-9]/:N/g; s/\[[^]]*\]/[...]/g; p;}'
scdc export RUN --to label-studio --data-key image --prefix https://host/ -o tasks.json
sed -n 2p tasks.json | sed 's/"score":[^,]*/"score":P/; s/"choices":\["[0-9]*"\]/"choices":["C"]/; s/scdc [0-9.]*/scdc V/'
grep -c '"predictions"' tasks.json
try scdc export RUN --to parquet
try scdc export RUN --to label-studio --what workers
try scdc export absent --to csv
rm RUN/labels.csv
try scdc export RUN --to jsonl
