// A worker and a submitter in one process, for flags of V8's. `node … BROKER`. Says `ready`; for a number on
// its standard input it runs so many jobs, with any other line it marks V8's log, and answers either.
import { ClusterEngine, startWorker } from '@sbx/cluster';
import { answerLines } from './answer-lines.mjs';

const [servers] = process.argv.slice(2);
const worker = await startWorker({ servers, slots: 2, languages: [] });
const cluster = await ClusterEngine.open({ servers });

async function close() {
  await cluster.close();
  await worker.close();
}

async function run(count) {
  const one = () =>
    cluster.run('/bin/cat', ['in'], {
      stdin: { text: 'x' },
      files: { in: 'x' },
      env: { A: 'b' },
      limits: { wallTimeMs: 10_000 },
      copyOut: ['in'],
    });
  const loop = async () => {
    for (let i = 0; i < count / 4; i++) (await one()).orThrow();
  };
  await Promise.all(Array.from({ length: 4 }, loop));
}

answerLines({ close, run });
process.stdout.write('ready\n');
