# Longest strictly increasing subsequence, n log n, by the tools of the system.
tr -s ' ' '\n' | awk '
NR == 1 { next }
NF {
  low = 0; high = size
  while (low < high) {
    middle = int((low + high) / 2)
    if (tails[middle] < $1) low = middle + 1; else high = middle
  }
  tails[low] = $1 + 0
  if (low == size) size++
}
END { print size + 0 }'
