# bash completion of scdc; the words come from the program's own tables (--help=words).
_scdc_words() { "${words[0]}" "$@" --help=words 2>/dev/null; }
_scdc() {
    local cur prev words cword line path=() word value
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n = cur prev words cword
    else
        words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    fi
    COMPREPLY=()
    # The command: the first words that are commands, as far as there are any.
    for word in "${words[@]:1:cword-1}"; do
        [[ $word == -* ]] && break
        [[ $word == help && ${#path[@]} == 0 ]] && continue
        _scdc_words "${path[@]}" | cut -f1 | grep -qxF -e "$word" || break
        path+=("$word")
    done
    # The value of an option: one of its words, or a file.
    if [[ $prev == --* ]]; then
        value=$(_scdc_words "${path[@]}" | awk -F '\t' -v o="$prev" '$1 == o { print $2 }')
        if [[ $value == *'|'* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "${value//|/ }" -- "$cur")
            return
        fi
        [[ -n $value ]] && return
    fi
    if [[ $cur == -* ]] || _scdc_words "${path[@]}" | head -n 1 | grep -qv '^-'; then
        mapfile -t COMPREPLY < <(compgen -W "$(_scdc_words "${path[@]}" | cut -f1)" -- "$cur")
    fi
}
complete -o default -o bashdefault -F _scdc scdc
