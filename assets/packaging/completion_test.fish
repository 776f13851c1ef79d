# Asks fish what it would offer.
test (complete -C 'dlview screensh' | string split \t)[1] = screenshot; or exit 1
test (complete -C 'dlview --theme=d' | string split \t)[1] = --theme=dark; or exit 1
test "$(complete -C 'dlview --theme ' | string join ' ')" = 'dark light'; or exit 1
echo 'fish completes'
