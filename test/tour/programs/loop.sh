# Waits without using the CPU: only the wall clock can end it.
while :; do sleep 1; done
