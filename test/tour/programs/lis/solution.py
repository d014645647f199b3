# Longest strictly increasing subsequence, n log n.
import sys
from bisect import bisect_left

count, *values = map(int, sys.stdin.buffer.read().split())
tails = []
for value in values[:count]:
    place = bisect_left(tails, value)
    tails[place:place + 1] = [value]
print(len(tails))
