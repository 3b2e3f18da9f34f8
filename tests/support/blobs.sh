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

# Do two runs have the same model, labels and workers, byte for byte?
same_run() {
    for file in model.safetensors labels.csv workers.csv; do
        cmp -s "$1/$file" "$2/$file" || { echo "no: $file"; return; }
    done
    echo yes
}
