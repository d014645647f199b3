// A server as a child process, so that its descriptors, threads and memory are its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { paced } from './pace.mjs';

/**
 * What is freed goes back to the kernel: glibc else keeps some ten MiB of the first large blocks, which looks
 * like a leak.
 */
export const STEADY_ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

const START_MS = paced(20_000);
const COLLECTABLE = ['--expose-gc', '--import', new URL('collect-on-signal.mjs', import.meta.url).href];

/**
 * Starts a command of ours and waits for the log line that says where it listens. →
 * `{ pid, url, log, stop(signal), exited }`; `log` holds every line since.
 */
export async function startServer(command, args, env = {}) {
  const child = spawn(process.execPath, [...COLLECTABLE, command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...STEADY_ALLOCATOR, ...env },
  });
  const log = [];
  const exited = once(child, 'exit');
  const listening = new Promise((resolve, reject) => {
    const read = (line) => {
      log.push(line);
      const url = /(https?|wss?):\/\/[\w.[\]:]+:\d+/.exec(line)?.[0];
      if (url !== undefined) resolve(url);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', read);
    exited.then(() => reject(new Error(`the server ended: ${log.slice(0, 3).join(' ')}`)), reject);
    setTimeout(() => reject(new Error(`the server does not listen: ${log.join('\n')}`)), START_MS).unref();
  });
  const url = await listening;
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    await exited;
  };
  return { pid: child.pid, url, log, stop, exited, child };
}
