text=0123456789abcdef
while :; do text=$text$text; done
