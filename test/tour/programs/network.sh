# Connects to a server of the host (port in the first argument) and to one of the internet; needs bash for /dev/tcp.
bash -c 'for target in "127.0.0.1/$0" 1.1.1.1/53; do
  if (exec 3<>"/dev/tcp/$target") 2> /dev/null; then echo connected; exit; fi
done; echo refused' "$1"
