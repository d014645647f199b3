// A worker or a submitter as a process of its own, so that it can be killed.
// `node node.mjs worker|submitter`, its options as JSON on stdin. Says `ready` on stdout.
import { json } from 'node:stream/consumers';
import { ClusterEngine, startWorker } from '@sbx/cluster';

const [kind] = process.argv.slice(2);
const options = await json(process.stdin);

if (kind === 'worker') {
  const worker = await startWorker(options);
  process.on('SIGTERM', () => void worker.close(30_000).then(() => process.exit(0)));
  process.stdout.write('ready\n');
} else {
  const { jobs, ...rest } = options;
  const engine = await ClusterEngine.open(rest);
  process.stdout.write('ready\n');
  for (const job of jobs) void engine.submit(job).then(({ result }) => result.catch(() => undefined));
  setInterval(() => undefined, 1000);
}
