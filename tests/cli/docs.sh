# docs/cli.md has a section for every command, and names no option that does not exist.
doc="$ROOT/docs/cli.md"
commands=$(scdc help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
echo "$commands" | grep -q fit || echo "the list of commands was not understood"
for command in $commands; do
    grep -q "^### .scdc $command" "$doc" || echo "no section about $command"
    case $command in
    simulate) scdc help simulate answers && scdc help simulate data pinwheel && scdc help simulate data blobs ;;
    *) scdc help "$command" ;;
    esac
done >helps
grep '^no section' helps
grep -o -e '--[a-z][a-z-]*' "$doc" | sort -u | while read -r option; do
    grep -q -e "$option\\b" helps || echo "no command has $option"
done
# Every command that draws at random has the same default seed.
grep -e '--seed N' helps | grep -o 'default: [0-9]*' | sort -u
echo done
