// How much CPU time a program spends on each query, by asking before and after it: the two-pipe protocol
// around a program that answers.
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Engine } from '@sbx/core';
import { FifoClient } from '@sbx/fifo-client';
import { startFifoSandbox } from '@sbx/fifo-protocol/server';

const CODE = `
import sys
for line in sys.stdin:
    n = int(line)
    print(sum(i * i for i in range(n)), flush=True)
`;

const engine = await Engine.open();
const sandbox = { files: { 'main.py': CODE } };
const fifo = await startFifoSandbox(engine, 'python3', ['main.py'], { sandbox, pipes: true });

// The program's stdin and stdout are pipes of the same directory.
const queries = createWriteStream(join(fifo.dir, 'downward'));
const answers = createInterface({ input: createReadStream(join(fifo.dir, 'upward')) });
const client = new FifoClient(fifo.dir);

async function ask(n) {
  queries.write(`${n}\n`);
  const [answer] = await once(answers, 'line');
  return answer;
}

await ask(1); // by then the interpreter has started

const times = [];
for (const n of [10, 2_000_000]) {
  const section = await client.measure(async () => console.log(`${n}: ${await ask(n)}`));
  times.push(section.cpuTimeUs);
}
console.log(times[1] > 10 * times[0] ? 'the second query took more than ten times as long' : times);

await client.wait({ terminate: true });
await fifo.finished;
queries.destroy();
answers.close();
await engine.close();
