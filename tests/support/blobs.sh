# Inputs for tests of the program, made without the program: four round clusters of items in
# items.csv, their classes in truth.csv, and same/different answers of five workers, right nine times
# out of ten, in answers.csv. Usage: blobs ITEMS DIMENSIONS ANSWERS
blobs() {
    awk -v n="$1" -v dims="$2" -v answers="$3" '
        function uniform() { state = (state * 16807) % 2147483647; return state / 2147483647 }
        function normal(  i, sum) { for (i = 0; i < 12; i++) sum += uniform(); return sum - 6 }
        BEGIN {
            state = 20240517
            for (d = 0; d < dims; d++) printf "%sf%d", d ? "," : "", d >"items.csv"
            printf "\n" >"items.csv"
            print "item,label" >"truth.csv"
            for (i = 0; i < n; i++) {
                class[i] = int(4 * uniform())
                for (d = 0; d < dims; d++) {
                    centre = int(class[i] / (d % 2 + 1)) % 2 ? 4 : -4
                    printf "%s%.5f", d ? "," : "", centre + normal() >"items.csv"
                }
                printf "\n" >"items.csv"
                print i "," class[i] >"truth.csv"
            }
            print "worker,left,right,label" >"answers.csv"
            for (a = 0; a < answers; a++) {
                left = int(n * uniform()); right = int((n - 1) * uniform())
                if (right >= left) right++
                same = class[left] == class[right]
                if (uniform() < 0.1) same = !same
                print "w" a % 5 "," left "," right "," same >"answers.csv"
            }
        }'
}

# Is every line of standard input true of the awk condition? Says yes or no.
all() {
    awk -F, "{ if (!($1)) bad++ } END { print (NR && !bad ? \"yes\" : \"no\") }"
}

# Do two runs have the same model? Only the seconds of the epochs (column 11 of the tensor `epochs`) may
# differ, and with them the checksum. Where these stand, the header of the file tells.
same_model() {
    one="$1/model.safetensors" two="$2/model.safetensors"
    [ "$(wc -c <"$one")" = "$(wc -c <"$two")" ] || { echo no; return; }
    length=$(od -An -tu8 -N8 "$one")
    table=$(head -c $((length + 8)) "$one" | tail -c +9 |
        sed -n 's/.*"epochs":{"dtype":"F64","shape":\[\([0-9]*\),\([0-9]*\)\],"data_offsets":\[\([0-9]*\),.*/\1 \2 \3/p')
    crc=$(head -c $((length + 8)) "$one" | LC_ALL=C grep -abo '"crc32":"' | cut -d: -f1)
    cmp -l "$one" "$two" | awk -v table="$table" -v start=$((length + 8)) -v crc="$crc" '
        BEGIN { if (split(table, t, " ") != 3 || crc == "") bad = 1; width = 8 * t[2] }
        {
            at = $1 - 1
            if (at >= crc + 9 && at < crc + 17) next
            at -= start + t[3]
            if (at >= 0 && at < t[1] * width && int(at % width / 8) == 11) next
            bad = 1
        }
        END { print bad ? "no" : "yes" }'
}
