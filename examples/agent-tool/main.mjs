// A tool for an agent: code in, output as it comes, and an end to it when the model or its user has seen
// enough.
import { Sandbox } from '@sbx/core';

/** Runs Python. Yields text as it is printed; abort `signal` to end the program. Returns the verdict. */
async function* runPython(code, signal) {
  const process = await Sandbox.spawn('python3', ['-c', code], {
    stdout: 'pipe',
    stderr: 'stdout', // in one stream, so in order
    limits: { cpuTimeMs: 10_000, wallTimeMs: 30_000, memoryBytes: 128 * 2 ** 20 },
    signal,
    onAbort: 'resolve',
  });
  try {
    const decoder = new TextDecoder();
    for await (const event of process) {
      if (event.kind === 'exit') return event.result;
      yield decoder.decode(event.bytes, { stream: true });
    }
  } finally {
    await process.close();
  }
}

const enough = new AbortController();
const running = runPython(
  'import time\nfor n in range(1000):\n    print(f"step {n}", flush=True)\n    time.sleep(0.05)',
  enough.signal,
);
let seen = '';
for (;;) {
  const { done, value } = await running.next();
  if (done) {
    console.log(
      `ended: ${value.status}, ${value.usage.cpuTimeMs < 1000 ? 'below' : 'above'} a second of CPU time`,
    );
    break;
  }
  if (enough.signal.aborted) continue; // what was on its way
  seen += value;
  if (!seen.includes('step 2')) continue;
  console.log(seen.split('\n').slice(0, 3).join('\n'));
  enough.abort();
}
