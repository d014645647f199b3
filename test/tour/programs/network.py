# Connects to a server of the host (port in the first argument) and to one of the internet.
import socket
import sys


def can_connect(address):
    try:
        socket.create_connection(address, timeout=1).close()
        return True
    except OSError:
        return False


targets = [('127.0.0.1', int(sys.argv[1])), ('1.1.1.1', 53), ('example.com', 80)]
print('connected' if any(map(can_connect, targets)) else 'refused')
