# The next questions, and whether to go on.
. "$ROOT/tests/support/blobs.sh"
blobs 120 3 200
awk -F, 'NR == 1 { print "id," $0; next } { print "pic " NR - 2 ".png," $0 }' items.csv >named.csv
# Before the first answer: from the items alone.
scdc suggest --data named.csv -n 3 | sed 's/pic%20[0-9]*/pic%20N/g; s/,[0-9.e-]*,\([a-z]*\)$/,GAIN,\1/'
scdc suggest --data named.csv -n 1 --format jsonl --show pictures --worker anna |
    sed 's/"item":[0-9]*/"item":N/g; s/pic [0-9]*/pic N/g; s/"gain":[^,]*/"gain":G/'
# Texts in place of pictures, by name; or a row for each item.
awk 'NR == 1 { print "id,text"; next } { print "pic " NR - 2 ".png,\"kind, \"\"A\"\"\"" } END { print "stranger,none" }' named.csv >texts.csv
scdc suggest --data named.csv -n 1 --format jsonl --show texts.csv |
    sed 's/"item":[0-9]*/"item":N/g; s/pic [0-9]*/pic N/g; s/"gain":[^,]*/"gain":G/'
awk 'NR == 1 { print "text"; next } { print "number " NR - 2 }' items.csv >rows.csv
scdc suggest --data items.csv -n 5 --format jsonl --show rows.csv | grep -o '"item":[0-9]*\|number [0-9]*' |
    sed 's/.*[: ]//' | paste - - | awk '$1 != $2 { print "bad: " $0 } END { print NR, "texts" }'
# From a fit: ids are those of the items, and the same for any number of threads.
scdc fit items.csv --annotations answers.csv -q -o RUN >summary
scdc suggest RUN -n 30 --threads 1 -o one.csv
scdc suggest RUN -n 30 --threads 2 -q -o two.csv && cmp one.csv two.csv && echo "the same questions"
awk -F, 'NR > 1 { split($3, i, " "); if (i[1] < 0 || i[1] > 119 || i[2] > 119 || i[1] == i[2]) print "bad: " $0 }' one.csv
scdc suggest RUN -n 2 --task sets --set-size 5 | awk -F, 'NR > 1 { print $2, split($3, i, " ") }'
scdc suggest RUN -n 1 --worker stranger | sed 1d | cut -d, -f4
# A plan has a sentence, an advice and a curve.
scdc plan RUN --json --svg plan.svg -q >plan.json
grep -o '"advice":"\(go on\|stop\)"' plan.json | sed 's/:.*/: told/'
grep -o '"answers":200,\|"items":120' plan.json | sort
grep -c '<svg' plan.svg
scdc plan RUN | tail -n 1 | cut -d ' ' -f 1 | grep -E '^(Go|Stop:)$' >/dev/null && echo "a sentence"
scdc plan --data items.csv --workers 3 --accuracy .9 --most 100 | grep -c expected
# Workers who miss half of what is alike, or clusters of two kinds? Known pairs tell, in a RUN too.
scdc simulate answers truth.csv --workers 3 --sensitivity .45 --specificity .97 --pairs 3000 -q -o careless.csv
awk -F, 'NR == FNR { if (FNR > 1) kind[$1] = $2; next }
    FNR == 1 { print $0 ",gold"; next } { print $0 "," (FNR < 202 ? (kind[$2] == kind[$3]) : "") }' truth.csv careless.csv >gold.csv
for answers in careless gold; do
    scdc fit items.csv -a $answers.csv -q -o CARELESS-$answers >/dev/null
    scdc plan CARELESS-$answers | tail -n 1 | cut -d : -f 1
done
# What is wrong is told.
try scdc suggest
try scdc suggest RUN -n 0
try scdc suggest RUN --task sets --set-size 1
try scdc suggest absent
try scdc plan RUN --target 2
try scdc plan RUN --accuracy 7
head -n 3 rows.csv >few.csv
try scdc suggest --data items.csv --format jsonl --show few.csv
try scdc suggest --data items.csv --format jsonl --show answers.csv
try scdc suggest --data items.csv --format jsonl --show absent.csv
mv items.csv moved.csv
scdc suggest RUN -n 1 2>&1 | sed 's,/.*/in/,/.../,'
scdc suggest RUN -n 1 --data moved.csv | wc -l | tr -d ' '
sed 's/1/2/' moved.csv >other.csv
scdc suggest RUN -n 1 --data other.csv 2>&1 | sed 's/checksum .*/checksum .../'
