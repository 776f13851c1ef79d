# bash completion of dlview; `dlview completion bash` prints this.
_dlview() {
  local cur words cword line lines prefix=
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n =: cur words cword
  else
    words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]}
  fi
  COMPREPLY=()
  mapfile -t lines < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1:cword}" 2>/dev/null)
  case ${lines[0]-} in
    :files) compopt -o default 2>/dev/null; return ;;
    :folders)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      return ;;
  esac
  # bash replaces only what stands behind "=" and ":" where these separate words.
  case $COMP_WORDBREAKS in *=*) [[ $cur == --*=* ]] && prefix=${cur%%=*}= ;; esac
  case $COMP_WORDBREAKS in *:*) [[ $cur == *:* ]] && prefix=${cur%:*}: ;; esac
  for line in "${lines[@]:1}"; do
    line=${line%%$'\t'*}
    [[ $line == *= ]] && compopt -o nospace 2>/dev/null
    line=${line#"$prefix"}
    COMPREPLY+=("$(printf %q "$line")")
  done
  if [[ ${lines[0]-} == :words-and-files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
  fi
}
complete -F _dlview dlview
