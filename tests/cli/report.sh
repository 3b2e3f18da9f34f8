# The report: written by fit, written again, charts as files, inputs that moved or changed, names
# that are markup, frames that change nothing.
. "$ROOT/tests/support/blobs.sh"
blobs 240 3 200
sed 's/^w0,/<script>alert(1)<\/script>,/; s/^w1,/"a ""quoted"" & name",/' answers.csv >odd.csv
fit() { scdc fit items.csv -k 6 --epochs 3 --hidden 20 --latent 2 --set warmup=200 -q "$@"; }

fit --annotations odd.csv --truth truth.csv -o RUN | sed '/^probabilities/s/[01]\.[0-9]*/P/g'
for section in clusters truth latent workers answers training origin; do
    echo "$section: $(grep -c "<section id=\"$section\">" RUN/report.html)"
done
echo "names that are markup: $(grep -c '<script>alert' RUN/report.html) raw," \
    "$(grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' RUN/report.html && echo escaped)"
echo "requests: $(grep -c -e 'src="[^d]' -e 'url(' -e 'https*:' RUN/report.html)"
grep -o 'scdc fit items.csv.*-o RUN' RUN/report.html

cp RUN/report.html first.html
try scdc report RUN --figures figures
cmp first.html RUN/report.html && echo "the same page again"
ls figures
for file in figures/*.svg; do head -c 42 "$file"; echo; done | sort -u
scdc report RUN -q -o elsewhere.html --json
cmp -s elsewhere.html RUN/report.html && echo "the same page elsewhere"

# Seconds stand in the log alone.
mv RUN/log.jsonl kept.jsonl
scdc report RUN -q -o elsewhere.html && grep -c 'Time of each epoch' elsewhere.html
mv kept.jsonl RUN/log.jsonl
grep -c 'Time of each epoch' RUN/report.html

echo "== inputs that moved or changed"
mv items.csv moved.csv
here=$(pwd -P)
try scdc report RUN | sed "s|$here/||"
grep -c 'The items could not be read' RUN/report.html
scdc report RUN -q --data moved.csv && cmp first.html RUN/report.html && echo "the same page again"
sed '2s/[0-9]/7/' moved.csv >items.csv
try scdc report RUN | sed "s|$here/||"
mv moved.csv items.csv
sed 1,20d odd.csv >other.csv
(head -n 1 odd.csv && cat other.csv) >odd-other.csv
try scdc report RUN --annotations odd-other.csv
try scdc report RUN --truth missing.csv
try scdc report RUN -o missing/report.html

echo "== no run"
try scdc report nothing
mkdir empty
try scdc report empty
cp RUN/model.safetensors empty
try scdc report empty
cp -r RUN broken
head -n 50 RUN/labels.csv >broken/labels.csv
try scdc report broken
sed 's/^3,[0-9]*,/3,77,/' RUN/labels.csv >broken/labels.csv
scdc report broken 2>&1 | cut -d, -f1

cp RUN/labels.csv broken
for json in '{}' '[]' '{"scdc": 1, "command": [1, {}], "directory": 4, "seconds": "x", "seed": null,
    "inputs": {"data": {"path": 3}, "annotations": {"paths": [4]}, "truth": 5}, "restarts": [7, {}]}'; do
    echo "$json" >broken/run.json
    scdc report broken -q && echo "an odd run.json: written all the same"
done

echo "== without answers; several starts"
fit -o alone
grep -o 'No answers were used' alone/report.html
fit --annotations answers.csv -o starts --restarts 2
grep -o '<td class="l">kept</td>' starts/report.html
grep -o '^<p>Stability' starts/report.html
grep -c '"seed": [12],' starts/run.json

echo "== frames"
try scdc fit items.csv -o none --frames 1
mkdir images
awk 'BEGIN {
    state = 5
    for (i = 0; i < 60; i++) {
        file = sprintf("images/%02d.pgm", i)
        print "P2 6 5 255" >file
        for (p = 0; p < 30; p++) {
            state = (state * 16807) % 2147483647
            print (i % 3 == p % 3 ? 200 : 20) + state % 40 >file
        }
        close(file)
    }
}'
images() { scdc fit images -k 4 --epochs 4 --hidden 10 --latent 2 -q "$@"; }
images -o plain
images -o framed --frames 1,3
ls framed/frames
echo "the same model: $(same_run plain framed)"
images -o all --frames all --restarts 2
ls all/frames | wc -l
try scdc fit images -o none --frames 0
try scdc fit images -o none --frames 1,,2
echo "pictures: $(grep -c '<img ' framed/report.html)," \
    "$(grep -c '<img [^>]*alt=""' framed/report.html) without a text"
