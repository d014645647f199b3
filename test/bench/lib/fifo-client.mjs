// Prints how long each of COUNT requests took, in µs. A process of its own, as an evaluator is. Arguments:
// directory, count.
import { FifoClient } from '@sbx/fifo-client';

const [dir, count] = process.argv.slice(2);
const client = new FifoClient(dir);
const times = [];
for (let i = 0; i < Number(count); i++) {
  const start = performance.now();
  await client.wait();
  times.push((performance.now() - start) * 1000);
}
process.stdout.write(`${times.join('\n')}\n`);
