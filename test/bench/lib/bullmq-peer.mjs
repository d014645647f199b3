// The other end of an echo over BullMQ, as a process. `node … PORT SLOTS`.
import { loadBullmq } from './bullmq.mjs';

const [port, concurrency] = process.argv.slice(2).map(Number);
const { Worker } = loadBullmq();
const connection = { host: '127.0.0.1', port };
const worker = new Worker('echo', async ({ data }) => data, { connection, concurrency });
await worker.waitUntilReady();
process.stdout.write('ready\n');
