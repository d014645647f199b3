// All tests, again and again, beside a process of somebody else's that never waits: none may fail for time.
import { spawn } from 'node:child_process';
import { addCounts, countLine } from './counts.mjs';
import { runVitest } from './vitest.mjs';

/** As many that what fails once in ten runs is rarely missed. */
const RUNS = 20;

/** Ends by itself when whoever started it is gone. */
const BUSY = 'const parent = process.ppid; while (process.ppid === parent);';

/** Until the first that fails: what follows would prove nothing. `SBX_RUNS`: how many. */
export async function besideLoad(count = Number(process.env.SBX_RUNS ?? RUNS), test = wholeRun) {
  if (!(Number.isInteger(count) && count > 0)) throw new Error('SBX_RUNS: must be a number of runs, from 1');
  // In a session of its own, as the kernel may give each session its share of the CPUs.
  const busy = spawn(process.execPath, ['-e', BUSY], { detached: true, stdio: 'ignore' });
  let counts = {};
  try {
    for (let run = 1; run <= count; run++) {
      const start = performance.now();
      const one = await test();
      counts = addCounts(counts, one);
      const seconds = ((performance.now() - start) / 1000).toFixed(0);
      console.log(`== run ${run} of ${count}: ${countLine(one)}, ${seconds} s`);
      if (one.failed > 0 || one.skipped > 0) break;
    }
  } finally {
    busy.kill('SIGKILL');
  }
  return counts;
}

const wholeRun = () => runVitest([], { name: 'beside-load' });
