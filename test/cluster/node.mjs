// A worker or a submitter as a process of its own, so that it can be killed.
// `node node.mjs worker|submitter`, its options as JSON on stdin. Says `ready` on stdout; a worker with
// `engineOptions` also `cancel ID MS` when the word of a cancel comes to its process, by CLOCK_MONOTONIC.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { ClusterEngine, startWorker } from '@sbx/cluster';
import { Engine } from '@sbx/core';

const [kind] = process.argv.slice(2);
const options = await json(process.stdin);

if (kind === 'worker') {
  const { engineOptions, ...rest } = options;
  const own = engineOptions === undefined ? {} : { engine: await Engine.open(engineOptions) };
  const worker = await startWorker({ ...rest, ...own });
  if (engineOptions !== undefined) await tellCancels(options.servers);
  process.on('SIGTERM', () => void worker.close(30_000).then(() => process.exit(0)));
  process.stdout.write('ready\n');
} else {
  const { jobs, ...rest } = options;
  const engine = await ClusterEngine.open(rest);
  process.stdout.write('ready\n');
  for (const job of jobs) void engine.submit(job).then(({ result }) => result.catch(() => undefined));
  setInterval(() => undefined, 1000);
}

/** By a connection beside the worker's, so that nothing of its own code comes before the clock is read. */
async function tellCancels(servers) {
  const require = createRequire(join(import.meta.dirname, '../../packages/cluster/package.json'));
  const connection = await require('@nats-io/transport-node').connect({ servers });
  connection.subscribe('sbx.cancel.*', {
    callback(_error, message) {
      const ms = Number(process.hrtime.bigint()) / 1e6;
      const [id] = /(?<="id":")[^"]+/.exec(message.string()) ?? [];
      process.stdout.write(`cancel ${id} ${ms}\n`);
    },
  });
  await connection.flush();
}
