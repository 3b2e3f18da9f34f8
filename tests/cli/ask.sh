# A command as a worker: its answers become a file, and a fit finds out what it is worth.
command -v python3 >/dev/null || skip "no python3"
. "$ROOT/tests/support/blobs.sh"
blobs 120 3 400
ask() { "$ROOT/examples/ask" "$@"; }
# Says "same" or "different" by the true classes, errs in every eighth question, and talks.
cat >oracle.py <<'PYTHON'
import csv, json, sys
question = json.load(sys.stdin)
classes = {row["item"]: row["label"] for row in csv.DictReader(open("truth.csv"))}
left, right = (item["id"] for item in question["items"])
if left == "13":
    sys.exit(1)
same = (classes[left] == classes[right]) != ((int(left) + int(right)) % 8 == 0)
print("I compared them. They are", "the same." if same else "not the same.")
PYTHON
awk -F, 'NR == 1 { print "left,right" } NR > 1 && NR < 62 { print $2 "," $3 }' answers.csv >questions.csv
echo 13,14 >>questions.csv
try ask ask questions.csv --ask 'python3 oracle.py' --worker oracle --cost 0.01 -o oracle.csv
head -n 1 oracle.csv
cut -d, -f1-4 oracle.csv | tail -n 1
scdc inspect oracle.csv | sed -n '2,3p'
# Sets to sort.
printf '{"items":["a","b","c"]}\n{"items":["d","e","f"]}\n' >sets.jsonl
try ask ask sets.jsonl --ask "echo '{\"groups\":[[\"a\",\"c\"],[\"b\"]]}'" --worker w -o sets.csv
cut -d, -f1-4 sets.csv
scdc fit items.csv --annotations answers.csv --annotations oracle.csv -k 6 --epochs 3 --hidden 20 --latent 2 -q -o RUN >summary
ask report RUN --answers oracle.csv --cost '*=0.05' >table
head -n 1 table
# A worker who guesses tells nothing; the sure one tells what there is to tell.
awk '$1 == "oracle" { print ($5 > 0.1 && $5 < 1) ? "bits" : "no bits: " $0; print ($7 > $6) ? "price" : "no price: " $0 }' table
printf 'worker,answers,sensitivity,specificity\nguess,9,0.5,0.5\nsure,9,1,1\n' >RUN/workers.csv
ask report RUN --same 0.5 --cost sure=2
try ask ask absent.csv --ask true --worker w -o none.csv
# A command that never answers is a mistake, not a worker.
try ask ask questions.csv --ask false --worker w -o none.csv
