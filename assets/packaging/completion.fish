# fish completion of dlview; `dlview completion fish` prints this.
function __dlview_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case :files
            __fish_complete_path "$current"
        case :folders
            __fish_complete_directories "$current"
        case '*'
            test "$lines[1]" = :words-and-files; and __fish_complete_path "$current"
            printf '%s\n' $lines[2..-1]
    end
end
complete -c dlview -f -a '(__dlview_complete)'
