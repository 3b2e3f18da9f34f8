# What earlier versions wrote is read: runs of 0.1.0 give the labels that 0.1.0 gave, are shown and gone on with (docs/promise.md).
for version in 0.1.0; do
    cp -r "$ROOT/tests/formats/$version" "$version" && chmod -R u+w "$version" && cd "$version" || exit 1
    for run in bayes paper-amortized; do
        echo "== $version, $run"
        scdc predict "$run" items.npy >labels.csv || exit 1
        # Clusters and components as they were, probabilities up to how a processor rounds.
        paste -d , "$run/predicted.csv" labels.csv | awk -F , '
            NR == 1 { half = NF / 2; next }
            { far = $3 - $(half + 3); if ($1 != $(half + 1) || $2 != $(half + 2) || far > 1e-3 || far < -1e-3) bad++ }
            END { print NR - 1 " items, other than before: " bad + 0 }'
        scdc workers "$run" | awk '{ print $1, $2 }'
        scdc report "$run" -q && grep -c '</html>' "$run/report.html"
        scdc fit items.npy -a answers.csv -o "$run" --resume --epochs 5 -q >summary && wc -l <"$run/log.jsonl"
        scdc predict "$run" items.npy | wc -l
    done
    cd ..
done
