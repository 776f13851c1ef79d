# Asks the installed zsh function what it would offer, without a terminal.
compdef() { }
_files() { print -r -- files }
_describe() { print -rl -- "${(@P)2}" }
compadd() { [[ $1 = -a ]] && print -rl -- "${(@P)2}" }
source /usr/share/zsh/vendor-completions/_dlview
asked() { words=(dlview "$@"); CURRENT=$#words; _dlview }
[[ "$(asked screensh)" = screenshot:* ]] || exit 1
[[ "$(asked --theme '')" = $'dark\nlight' ]] || exit 1
[[ "$(asked info '')" = files ]] || exit 1
print 'zsh completes'
