# Counts how far it gets: forks sleepers until the system says no.
import os
import time

count = 0
while True:
    try:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    except BlockingIOError:
        break
    count += 1
print('refused' if count < 1000 else count)
