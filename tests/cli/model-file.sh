# Model files that are not what they should be, and items that do not fit a model.
. "$ROOT/tests/support/blobs.sh"
blobs 60 3 50
scdc fit items.csv -a answers.csv -o run -k 4 --epochs 1 --hidden 10 -q

echo "== items that do not fit"
cut -d, -f1,2 items.csv >narrow.csv
try scdc predict run narrow.csv
awk -F, 'NR > 1 { print ($1 > 0), ($2 > 0), ($3 > 0) }' OFS=, items.csv >bits.csv
scdc fit bits.csv -o bits -k 4 --epochs 1 --hidden 10 -q
try scdc predict bits items.csv
scdc predict bits bits.csv -q -o out.csv
echo "bits: exit $?"
try scdc predict run none.csv

echo "== files that are no models"
try scdc predict nowhere items.csv
mkdir empty
try scdc predict empty items.csv
try scdc workers items.csv
try scdc sample truth.csv -o x.csv
: >nothing.safetensors
try scdc workers nothing.safetensors

echo "== damaged models"
model=run/model.safetensors
size=$(wc -c <$model)
for bytes in 7 8 100 2000 $((size / 2)) $((size - 1)); do
    head -c "$bytes" $model >cut.safetensors
    scdc workers cut.safetensors >out 2>message
    echo "first $(if [ "$bytes" -lt 2001 ]; then echo "$bytes"; else echo part; fi): exit $? $(wc -c <out)"
    grep -c '^scdc: cut.safetensors' message
done
(cat $model && echo more) >long.safetensors
scdc workers long.safetensors >out 2>message
echo "longer: exit $?"
sed 's/"format_version":"1"/"format_version":"9"/; s/header_crc32/header_crc3x/' $model >newer.safetensors
try scdc workers newer.safetensors
sed 's/"format":"scdc-model"/"format":"xxxx-model"/; s/header_crc32/header_crc3x/' $model >foreign.safetensors
try scdc workers foreign.safetensors
sed 's/"option.latent":"2"/"option.latent":"3"/; s/header_crc32/header_crc3x/' $model >shape.safetensors
scdc workers shape.safetensors >out 2>message
echo "another shape: exit $?"

echo "== options that were taken out"
cp -r run resumed
sed 's/"option.batch"/"optiox.batch"/; s/header_crc32/header_crc3x/' $model >resumed/model.safetensors
scdc fit items.csv -a answers.csv -o resumed --resume --epochs 2 -q >out 2>message
echo "resumed without its batch: exit $?"
sed 's/"option.components":"4"/"option.components":"0"/; s/header_crc32/header_crc3x/' $model >none.safetensors
scdc workers none.safetensors >out 2>message
echo "without components: exit $?"
echo "== an epoch that is none"
sed 's/header_crc32/header_crc3x/; s/"crc32"/"crc3x"/' $model >wild.safetensors
begin=$(sed -n '1s/.*"epochs":{[^}]*"data_offsets":\[\([0-9]*\),.*/\1/p' $model)
header=$(od -A n -t u8 -N 8 $model)
for bits in '\370\177' '\360\277' '\360\177'; do # not a number, -1, infinite
    printf "\\0\\0\\0\\0\\0\\0$bits" | dd of=wild.safetensors bs=1 seek=$((8 + header + begin)) conv=notrunc 2>/dev/null
    scdc workers wild.safetensors 2>&1
    echo "exit $?"
done
echo "== workers that nobody can be"
begin=$(sed -n '1s/.*"global.eta.sensitivity":{[^}]*"data_offsets":\[\([0-9]*\),.*/\1/p' $model)
for bits in '\377\377\377\377\377\377\357\177' '\0\0\0\0\0\0\370\177' '\0\0\0\0\0\0\360\377'; do # 1.8e308, not a number, -infinite
    sed 's/header_crc32/header_crc3x/; s/"crc32"/"crc3x"/' $model >wild.safetensors
    printf "$bits" | dd of=wild.safetensors bs=1 seek=$((8 + header + begin)) conv=notrunc 2>/dev/null
    timeout 20 "$SCDC" workers wild.safetensors >out 2>message
    echo "$(case $? in 0) echo numbers ;; 1 | 3) echo "an error" ;; *) echo "no end, or a crash" ;; esac), $(grep -c -i -e nan -e inf out) of them not finite"
done
echo "== items that nobody can be"
begin=$(sed -n '1s/.*"input.centre":{[^}]*"data_offsets":\[\([0-9]*\),.*/\1/p' $model)
sed 's/header_crc32/header_crc3x/; s/"crc32"/"crc3x"/' $model >wild.safetensors
printf '\377\377\377\377\377\377\357\177' | dd of=wild.safetensors bs=1 seek=$((8 + header + begin)) conv=notrunc 2>/dev/null # 1.8e308
try scdc sample wild.safetensors -o made.csv
ls made.csv 2>/dev/null || echo "nothing is written"
