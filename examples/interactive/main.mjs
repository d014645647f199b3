// An interactive problem: the solution asks, the interactor answers and judges. Each is in a sandbox of its
// own.
import { Engine } from '@sbx/core';

const SOLUTION = `
low, high = 1, 1000
while low < high:
    middle = (low + high) // 2
    print("larger", middle, flush=True)
    if input() == "yes": low = middle + 1
    else: high = middle
print("answer", low, flush=True)
`;

/** Exit code 0: found with at most ten questions. */
const INTERACTOR = `
import sys
secret, questions = int(sys.argv[1]), 0
for line in sys.stdin:
    word, number = line.split()
    if word == "answer": sys.exit(0 if int(number) == secret and questions <= 10 else 1)
    questions += 1
    print("yes" if secret > int(number) else "no", flush=True)
sys.exit(2)
`;

const engine = await Engine.open();
for (const secret of [1, 577, 1000]) {
  const { results, recordings } = await engine.runGroup({
    programs: [
      {
        file: 'python3',
        args: ['solution.py'],
        files: { 'solution.py': { text: SOLUTION } },
        limits: { cpuTimeMs: 1000 },
      },
      {
        file: 'python3',
        args: ['interactor.py', String(secret)],
        files: { 'interactor.py': { text: INTERACTOR } },
      },
    ],
    pipes: [
      { from: { index: 0, fd: 1 }, to: { index: 1, fd: 0 }, record: { maxBytes: 65_536 } },
      { from: { index: 1, fd: 1 }, to: { index: 0, fd: 0 } },
    ],
  });
  const [solution, interactor] = results;
  const questions = recordings[0]
    .text()
    .split('\n')
    .filter((line) => line.startsWith('larger')).length;
  console.log(
    `${secret}: solution ${solution.status}, interactor ${interactor.status}, ${questions} questions`,
  );
}
await engine.close();
