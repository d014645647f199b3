# A wrong answer: counts how often a value is larger than the one before.
import sys

count, *values = map(int, sys.stdin.buffer.read().split())
print(1 + sum(a < b for a, b in zip(values, values[1:])))
