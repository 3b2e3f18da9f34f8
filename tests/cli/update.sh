# New answers for a run: taken once, in any number of parts, and the run is never spoilt.
. "$ROOT/tests/support/blobs.sh"
blobs 200 4 400
head -n 201 answers.csv >monday.csv
(head -n 1 answers.csv && sed -n '202,301p' answers.csv) >tuesday.csv
(head -n 1 answers.csv && sed -n '302,401p' answers.csv) >wednesday.csv
scdc fit items.csv -a monday.csv -o RUN --quiet --truth truth.csv >/dev/null || echo "no fit"
cp -r RUN BEFORE
echo "== in one go and in two"
scdc update RUN -a tuesday.csv -a wednesday.csv -o ONE --quiet | all '/^ACC/'
same_run RUN BEFORE
scdc update RUN -a wednesday.csv --quiet | all '/^ACC/'
scdc update RUN -a tuesday.csv --quiet | all '/^ACC/'
cmp ONE/labels.csv RUN/labels.csv && cmp ONE/workers.csv RUN/workers.csv && cmp ONE/answers.csv RUN/answers.csv && echo same
head -n 1 RUN/changes.csv
ls RUN
grep -c 'id="changes"' RUN/report.html
scdc report RUN --quiet && grep -o 'updated 2 times' RUN/report.html
echo "== taken before"
try scdc update RUN -a tuesday.csv
try scdc update RUN -a monday.csv
scdc update RUN -a tuesday.csv --again --json | grep -o '"answers": *[0-9]*'
echo "== a file that grew"
printf 'worker,left,right,label\nw0,4,9,1\nw0,4,9,0\n' >extra.csv
(cat tuesday.csv && tail -n 2 extra.csv) >grown.csv
scdc update RUN -a grown.csv -o GROWN --json 2>messages | grep -o '"new_answers": *[0-9]*, *"known_answers": *[0-9]*'
grep -c '100 of 102 answers are in RUN already' messages
cat tuesday.csv wednesday.csv | grep -v worker | (head -n 1 answers.csv && cat) >both.csv
try scdc update RUN -a both.csv
echo "== new items, new workers"
(head -n 1 items.csv && sed -n '2,21p' items.csv) >more.csv
printf 'worker,left,right,label\nnew,200,0,1\nnew,201,3,0\n' >late.csv
scdc update RUN --data more.csv -a late.csv --json | grep -o '"items": *[0-9]*'
wc -l <RUN/labels.csv
grep -c '^new,' RUN/workers.csv
scdc report RUN --quiet && echo reported
scdc update RUN --epochs 1 --quiet && echo trained
echo "== mistakes"
printf 'worker,left,right,label\nw0,1,2,1\nw0,7,999,1\n' >unknown.csv
cp -r RUN BEFORE2
try scdc update RUN -a unknown.csv
try scdc update RUN
try scdc update RUN -a late.csv -o ONE
try scdc update NOWHERE -a late.csv
sed '3s/.*/0,0,0,0/' items.csv >changed.csv && mv items.csv kept.csv
try scdc update RUN -a late.csv --again 2>&1 | sed 's|/[^ ]*/in|DIR|g'
cp changed.csv items.csv
try scdc update RUN -a late.csv --again 2>&1 | sed 's|/[^ ]*/in|DIR|g; s/checksum.*/checksum ...)/'
mv kept.csv items.csv
same_run RUN BEFORE2
ls | grep update
echo "== killed"
# Wherever it is when it dies, RUN is what it was or what it becomes.
scdc update RUN -a late.csv --again --quiet -o AFTER
spoilt=0
for delay in 0.01 0.03 0.05 0.1 0.2 0.3; do
    cp -r BEFORE2 VICTIM
    scdc update VICTIM -a late.csv --again --quiet &
    sleep $delay
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    [ "$(same_run VICTIM BEFORE2)" = yes ] || [ "$(same_run VICTIM AFTER)" = yes ] || spoilt=1
    rm -rf VICTIM VICTIM.update-*
done 2>/dev/null
echo "spoilt: $spoilt"
echo "== what a killed one left"
sh -c 'echo $$' >gone
mkdir -p "RUN.update-$(cat gone)/within" "RUN.update-$$" RUN.update-x "RUN.update-$(cat gone).kept" "RUNS.update-$(cat gone)"
echo half >"RUN.update-$(cat gone)/model.safetensors"
scdc update RUN -a late.csv --again --quiet && ls -d RUN*.update-* | sed "s/$(cat gone)/GONE/; s/$$/ALIVE/" | sort
rm -rf RUN*.update-*
echo "== gold and known workers"
printf 'worker,left,right,label,gold\nw0,1,2,1,\nw0,3,4,1,0\n' >gold.csv
scdc update RUN -a gold.csv --quiet >/dev/null && grep -c '^(gold),1,' RUN/workers.csv
printf 'worker,left,right,label,gold\nw0,1,2,1,perhaps\n' >gold.csv
try scdc update RUN -a gold.csv
scdc fit items.csv -a wednesday.csv -o KNOWN --quiet --worker-prior BEFORE/workers.csv && ls KNOWN | grep prior
scdc plan KNOWN --json >with.json && mv KNOWN/worker-prior.csv . && scdc plan KNOWN --json >without.json
cmp -s with.json without.json || echo "plan knows them"
try scdc fit items.csv -a monday.csv -o K2 --quiet --worker-prior answers.csv
