/**
 * Making FIFOs. Node has no call for it, so `mkfifo(1)` does; a fork of a large process costs milliseconds,
 * so everything asked for while one is under way goes into the next one: five hundred managers that start at
 * once cost a few forks.
 */
import { execFile } from 'node:child_process';

interface Wanted {
  path: string;
  mode: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Well below the kernel's bound for arguments, with paths of 4096 bytes. */
const PATHS_PER_CALL = 200;

const wanted: Wanted[] = [];
let busy = false;

export function makeFifo(path: string, mode: number): Promise<void> {
  return new Promise((resolve, reject) => {
    wanted.push({ path, mode, resolve, reject });
    if (busy) return;
    busy = true;
    setImmediate(() => void makeAll());
  });
}

async function makeAll(): Promise<void> {
  while (wanted.length > 0) {
    const { mode } = wanted[0]!;
    const batch = wanted.filter((row) => row.mode === mode).slice(0, PATHS_PER_CALL);
    for (const row of batch) wanted.splice(wanted.indexOf(row), 1);
    const error = await makeBatch(batch, mode);
    if (error === null) for (const { resolve } of batch) resolve();
    else if (batch.length === 1) batch[0]!.reject(error);
    else await makeOneByOne(batch);
  }
  busy = false;
}

/** One bad path must not fail the others. What the failed call has made is there already. */
async function makeOneByOne(batch: readonly Wanted[]): Promise<void> {
  for (const row of batch) {
    const error = await makeBatch([row], row.mode);
    if (error === null || /File exists/.test(error.message)) row.resolve();
    else row.reject(error);
  }
}

function makeBatch(batch: readonly Wanted[], mode: number): Promise<Error | null> {
  const args = ['-m', mode.toString(8), '--', ...batch.map(({ path }) => path)];
  return new Promise((resolve) => {
    execFile('mkfifo', args, { env: { PATH: process.env.PATH, LC_ALL: 'C' } }, (error) => resolve(error));
  });
}
