# fish completion of scdc; the words come from the program's own tables (--help=words).
function __scdc_words
    set -l words (commandline -opc)
    set -l program $words[1]
    set -l path
    for word in $words[2..-1]
        string match -q -- '-*' $word; and break
        test "$word" = help -a (count $path) -eq 0; and continue
        $program $path --help=words 2>/dev/null | cut -f1 | grep -qxF -e "$word"; or break
        set -a path $word
    end
    # The value of an option that has a list of words.
    set -l value ($program $path --help=words 2>/dev/null | awk -F '\t' -v o="$words[-1]" '$1 == o { print $2 }')
    if string match -q '*|*' -- "$value"
        string split '|' -- $value
        return
    end
    $program $path --help=words 2>/dev/null | awk -F '\t' '{ print $1 "\t" $3 }'
end
complete -c scdc -a '(__scdc_words)'
