# Shells complete what the program's own tables say; the manual pages are made of them, too.
command -v bash >/dev/null || skip "no bash"
cat >complete.bash <<'BASH'
. "$ROOT/completions/scdc.bash"
try() {
    COMP_WORDS=("$SCDC" "$@") COMP_CWORD=$#
    COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=${#COMP_LINE}
    _scdc
    echo "scdc $*: ${COMPREPLY[*]}"
}
try in
try simulate ""
try simulate data pin
try simulate answers --sche
try simulate answers --scheme b
try fit --annot
try help wor
try fit items
BASH
bash --norc complete.bash
# The others where they are installed.
mkdir bin && ln -s "$SCDC" bin/scdc
if command -v fish >/dev/null; then
    PATH="$PWD/bin:$PATH" fish --no-config -c "source $ROOT/completions/scdc.fish; complete -C 'scdc fit --annot'; complete -C 'scdc help wor'" |
        cut -f 1 | grep -v -e / -e '^$' | sort -u | tr '\n' ' '
    echo
else
    echo "--annotations workers "
fi
if command -v zsh >/dev/null; then zsh -n "$ROOT/completions/_scdc"; fi
# Every command has words and a page; a page names every option that the help names.
for command in $(scdc --help=words | cut -f1); do
    grep -q "'scdc-$command':" "$ROOT/meson.build" || echo "meson.build installs no manual page of $command"
    case $command in
    simulate) set -- "simulate" "simulate data" "simulate data pinwheel" "simulate data blobs" "simulate answers" ;;
    *) set -- "$command" ;;
    esac
    for path in "$@"; do
        # shellcheck disable=SC2086
        scdc $path --help=man >page || echo "no page of $path"
        grep -q '^\.SH NAME' page && grep -q '^\.TH "scdc' page || echo "$path: no title"
        # shellcheck disable=SC2086
        scdc $path --help=words | cut -f1 | grep -e '^--' | while read -r word; do
            grep -q -F -e "$(echo "$word" | sed 's/-/\\-/g')" page || echo "$path: no $word in its page"
        done
    done
done
scdc --help=man | sed -n '/COMMANDS/,/TP/p' | head -n 3
if command -v man >/dev/null && command -v groff >/dev/null; then
    scdc fit --help=man | LC_ALL=C man --warnings -l - 2>&1 >/dev/null | head -n 3
    LC_ALL=C man --warnings -l "$ROOT/mpi/scdc-mpi.1" 2>&1 >/dev/null | head -n 3
fi
echo done
