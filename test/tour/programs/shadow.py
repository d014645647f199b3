# Says what happened, never what it read. Also by the back doors that /proc is known for.
paths = ['/etc/shadow', '/proc/1/root/etc/shadow', '/proc/self/root/../etc/shadow', '../../../etc/shadow']


def can_read(path):
    try:
        with open(path) as file:
            return bool(file.readline())
    except OSError:
        return False


print('read' if any(map(can_read, paths)) else 'refused')
