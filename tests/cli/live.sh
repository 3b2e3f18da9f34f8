# On a terminal: one line that is redrawn, never wider than the terminal, and gone at the end. `script` makes the terminal.
command -v script >/dev/null || skip "script is not installed"
"$SCDC" simulate data blobs -n 3000 -d 8 -k 4 -o items.npy -l truth.csv -q
"$SCDC" simulate answers truth.csv -w 4 -p 200 -o answers.csv -q
for columns in 20 50 200; do
    TERM=xterm script -qec "stty cols $columns; '$SCDC' fit items.npy -a answers.csv -o RUN$columns --net mlp --hidden 100,100 --epochs 15 --threads 1 --set warmup=120 --set patience=100" typescript >/dev/null
    # Every redrawing begins with a carriage return and ends in "erase to the end of the line".
    tr '\r' '\n' <typescript | sed -n 's/\x1b\[K.*//p' >drawn
    awk -v most=$columns 'length($0) > length(widest) { widest = $0 } length($0) { count++ }
        END { print most ": drawn " (count > 3 ? "often" : "hardly") ", " (length(widest) < most ? "fits" : "too wide: " widest) }' drawn
    grep -o 'warm-up' drawn | sort -u
    # What stays are whole lines of text, with nothing of the live line before them.
    grep -a -c 'epoch [0-9]*/[0-9]*$' typescript || :
done
