# Items part by part: files larger than memory and pipes, the same labels as all at once.
. "$ROOT/tests/support/blobs.sh"
blobs 300 5 100
scdc fit items.csv -o run --epochs 2 -q
scdc predict run items.csv -o whole.csv -q
cat items.csv | scdc predict run - | cmp - whole.csv
gzip -c items.csv | scdc predict run - | cmp - whole.csv
# Many times the items: the same labels again and again, in little memory.
(cat items.csv; for i in 1 2 3 4 5 6 7 8 9; do tail -n +2 items.csv; done) >ten.csv
(for i in 1 2 3 4 5 6 7 8 9 10; do cat ten.csv | if [ $i = 1 ]; then cat; else tail -n +2; fi; done) >many.csv
scdc predict run many.csv -o many-labels.csv --proba many.npy
tail -n +2 many-labels.csv | awk -F, -v OFS=, '{ $1 = $1 % 300; print }' | sort -u | sort -t, -n >folded.csv
tail -n +2 whole.csv | sort -t, -n | cmp - folded.csv
wc -l <many-labels.csv | tr -d ' '
head -c 100 many.npy | tr -d '\000' | grep -ao "'shape': (30000, [0-9]*)" | sed 's/, [0-9]*)/, clusters)/'
# What is cut off, or wrong far down, leaves nothing behind.
head -c 20000 many.npy >cut.npy
(cat many.csv; echo 1,2,x,4,5) | scdc predict run - -o none.csv || echo "exit $?"
ls none.csv 2>/dev/null
scdc predict run cut.npy -o none.csv || echo "exit $?"
ls none.csv 2>/dev/null
# A reader that leaves early is no error of ours.
scdc predict run many.csv | head -n 1
# Several files are one set of items, in the order of their names.
(head -n 101 items.csv) >part-a.csv
(head -n 1 items.csv; tail -n +102 items.csv) >part-b.csv
scdc predict run 'part-*.csv' | cmp - whole.csv
scdc fit 'part-*.csv' -o parts --epochs 2 -q && cmp run/model.safetensors parts/model.safetensors && cmp run/labels.csv parts/labels.csv
cut -d, -f1-4 part-b.csv >part-c.csv
scdc predict run 'part-*.csv' -o none.csv || echo "exit $?"
scdc predict run 'other-*.csv' -o none.csv || echo "exit $?"
