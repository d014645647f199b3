// Managers made by hand that do not take what they are asked.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FifoClient } from './client.js';
import { pipeError } from './open.js';

let dir: string;
let wait: number;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fifo-client-test-'));
  execFileSync('mkfifo', [join(dir, 'wait'), join(dir, 'status')]);
  wait = openSync(join(dir, 'wait'), constants.O_RDWR | constants.O_NONBLOCK);
});
afterEach(() => {
  closeSync(wait);
  rmSync(dir, { recursive: true });
});

function fill(): void {
  const requests = Buffer.alloc(4096, '1');
  try {
    for (;;) writeSync(wait, requests);
  } catch {
    // it is full
  }
}

/** So many bytes as there are, as soon as there are any. */
async function take(): Promise<number> {
  for (;;) {
    try {
      return readSync(wait, Buffer.alloc(2 ** 20));
    } catch {
      await setTimeout(5);
    }
  }
}

it('where requests lie that nobody has taken, room is waited for as long as for a reply', async () => {
  fill();
  const client = new FifoClient(dir);
  await expect(client.wait({ requestTimeoutMs: 50 })).rejects.toMatchObject({ code: 'SBX_FIFO_TIMEOUT' });
  const reading = client.wait();
  await setTimeout(20);
  await take();
  expect(await take()).toBe(1);
  writeFileSync(join(dir, 'status'), '1\n2\nprocess running normally\n');
  expect(await reading).toEqual({ cpuTimeUs: 1, memoryBytes: 2, status: 'process running normally' });
});

it('a manager that dies between the opening and the writing has died', () => {
  const cause = Object.assign(new Error(), { code: 'EPIPE' });
  expect(pipeError('/x/wait', cause)).toMatchObject({ code: 'SBX_FIFO_NO_MANAGER' });
});
