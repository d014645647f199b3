// Longest strictly increasing subsequence, n log n.
import { readFileSync } from 'node:fs';

const [count, ...values] = readFileSync(0, 'utf8').split(/\s+/).filter(Boolean).map(Number);
const tails = [];
for (const value of values.slice(0, count)) {
  let [low, high] = [0, tails.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tails[middle] < value) low = middle + 1;
    else high = middle;
  }
  tails[low] = value;
}
console.log(tails.length);
