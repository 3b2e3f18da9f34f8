# Files of other tools become answers, are told by inspect, or are refused with the reason.
samples="$ROOT/tests/exchange"
cp "$samples"/* .
for file in label-studio.json label-studio-ranker.json prodigy.jsonl argilla.jsonl potato.json mturk.csv toloka.tsv \
    prolific.csv splink.csv crowd-kit.csv dedupe.json mustlink.txt; do
    try scdc import "$file"
done
try scdc import label-studio-pairwise.json
try scdc import crowd-kit-pairwise.csv
try scdc import prolific-demographics.csv
try scdc import argilla-nested.json
try scdc import argilla-nested.json --answer topic
try scdc import table.jsonl
try scdc import table.jsonl --from table
try scdc import table.jsonl --from tabel
# What a file does not tell by itself.
try scdc import mturk.csv --base-names --rejected -o answers.csv --json
cat answers.csv
printf 'who,p,q,verdict\nann,x,y,gleich\nbob,x,z,anders\n' >german.csv
try scdc import german.csv --from table --worker who --left p --right q --answer verdict
try scdc import german.csv --from table --worker who --left p --right q --answer verdict --same gleich --different anders
try scdc import mustlink.txt --worker-name tutor --json
# Other commands say what to do with such a file.
try scdc inspect label-studio.json prolific-demographics.csv
try scdc inspect dedupe.json --json
printf 'id,x\ncat-01.png,1\ncat-02.png,2\ndog-01.png,9\n' >items.csv
try scdc fit items.csv --annotations label-studio.json -o RUN
try scdc fit label-studio.json -o RUN
# What is imported is what fit takes.
scdc import label-studio.json --base-names -q -o answers.csv
try scdc inspect answers.csv --data items.csv
