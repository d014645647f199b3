// A worker as a process. `node … URL SLOTS`. For each line on stdin it says how many bytes of files it has
// fetched.
import { createInterface } from 'node:readline';
import { startWorker } from '@sbx/cluster';

const [servers, slots] = process.argv.slice(2);
const worker = await startWorker({ servers, slots: Number(slots), languages: [] });
process.stdout.write('ready\n');
for await (const _line of createInterface({ input: process.stdin })) {
  const [, bytes] = /^sbx_worker_cache_fetched_bytes_total (\d+)$/m.exec(worker.metrics());
  process.stdout.write(`${bytes}\n`);
}
