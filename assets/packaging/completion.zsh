#compdef dlview
# zsh completion of dlview; `dlview completion zsh` prints this.
_dlview() {
  local line word
  local -a lines words_only with_help
  lines=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case $lines[1] in
    :files) _files; return ;;
    :folders) _files -/; return ;;
  esac
  for line in "${(@)lines[2,-1]}"; do
    word=${line%%$'\t'*}
    if [[ $line == *$'\t'* ]]; then
      with_help+=("${word//:/\\:}:${line#*$'\t'}")
    else
      words_only+=("$word")
    fi
  done
  (( $#with_help )) && _describe dlview with_help
  (( $#words_only )) && compadd -a words_only
  [[ $lines[1] == :words-and-files ]] && _files
}
if [ "$funcstack[1]" = _dlview ]; then _dlview "$@"; else compdef _dlview dlview; fi
