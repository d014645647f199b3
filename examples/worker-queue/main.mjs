// A queue of submissions: a few at a time, results in order, a time for each, and nothing lost when one is
// hostile.
import { Engine } from '@sbx/core';

const SUBMISSIONS = [
  { who: 'ada', code: 'print(sum(range(1000)))' },
  { who: 'bob', code: 'while True: pass' },
  { who: 'eve', code: 'import os\nwhile True: os.fork()' },
  { who: 'dan', code: 'x = "x" * 10**9' },
  { who: 'joe', code: 'print(499500)' },
];

const engine = await Engine.open({ parallelism: 2 });
const requests = SUBMISSIONS.map(({ code }) => ({
  file: 'python3',
  args: ['main.py'],
  options: {
    files: { 'main.py': { text: code } },
    limits: {
      cpuTimeMs: 500,
      wallTimeMs: 2000,
      memoryBytes: 64 * 2 ** 20,
      processCount: 16,
      outputBytes: 65_536,
    },
  },
}));

let index = 0;
for await (const result of engine.runMany(requests, { concurrency: 2 })) {
  const { who } = SUBMISSIONS[index++];
  console.log(`${who}: ${result.ok ? `ok ${result.stdout.text().trim()}` : 'refused'}`);
}
await engine.close();
