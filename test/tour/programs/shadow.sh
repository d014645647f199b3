# Says what happened, never what it read.
if head -c 1 /etc/shadow > /dev/null 2>&1; then echo read; else echo refused; fi
