// What scripts for `hidden-classes.ts` share.
import { createInterface } from 'node:readline';

/** V8 logs how it finds a property only in a function that has run for a while. */
const ENOUGH_READS = 10_000;

/**
 * Marks V8's log with each line of standard input, and answers with it. `close`: at SIGTERM. `run`: instead
 * of the mark, where the line is a number.
 */
export function answerLines({ close, run }) {
  process.once('SIGTERM', () => {
    process.stdin.destroy();
    void close();
  });
  createInterface({ input: process.stdin }).on('line', async (line) => {
    if (/^\d+$/.test(line)) await run(Number(line));
    else markLog(line);
    process.stdout.write(`${line}\n`);
  });
}

/** Reads a property of that name, so that V8's log has a line with it. */
function markLog(name) {
  new Function('object', 'reads', `for (let i = 0; i < reads; i++) object.${name};`)(
    { [name]: 0 },
    ENOUGH_READS,
  );
}
