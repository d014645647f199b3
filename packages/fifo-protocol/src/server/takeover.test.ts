// A directory that is there already, in each state that it may be in.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FifoManager } from './manager.js';
import type { ManagedProgram } from './types.js';

const END = { status: 'killed', exitCode: null, exitSignal: 'SIGKILL', usage: { cpuTimeMs: 1 } };

function program(): ManagedProgram {
  let kill = () => {};
  const result = new Promise<typeof END>((resolve) => {
    kill = () => resolve(END);
  });
  return { usage: () => ({ cpuTimeMs: 1, memoryBytes: 1 }), kill, result };
}
const open = (dir: string, layout?: 'legacy') => FifoManager.open(program, { dir, graceMs: 0, layout });

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sbx-takeover-test-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** As a manager that was killed leaves it. */
function leaveBehind(): void {
  const names = ['wait', 'status', 'downward', 'upward'].map((name) => join(dir, name));
  execFileSync('mkfifo', names);
  for (const name of ['wait', 'status']) symlinkSync(name, join(dir, `${name}.pipe`));
}

const isBlocked = ({ pid }: ChildProcess) => /^\S+ \(sh\) S/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

async function blocked(script: string): Promise<ChildProcess> {
  const child = spawn('sh', ['-c', script], { cwd: dir, stdio: 'ignore' });
  while (!isBlocked(child)) await new Promise((resolve) => setTimeout(resolve, 5));
  return child;
}

describe('a directory that a dead manager has left', () => {
  it('is taken over, and clients that were blocked in it are let go', { timeout: 15_000 }, async () => {
    leaveBehind();
    const clients = await Promise.all(
      ['read x < status', 'echo 1 > wait; read x < status', 'echo x > downward', 'read x < upward'].map(
        blocked,
      ),
    );
    const ends = Promise.all(clients.map((client) => once(client, 'exit')));
    const manager = await open(dir);
    try {
      await ends;
      expect(readdirSync(dir).toSorted()).toEqual(['status', 'status.pipe', 'wait', 'wait.pipe']);
      const child = spawn('sh', ['-c', 'echo 1 > wait; cat status'], { cwd: dir });
      const [reply] = await once(child.stdout, 'data');
      expect(String(reply)).toBe('1000\n1\nprocess running normally\n');
    } finally {
      for (const client of clients) client.kill('SIGKILL');
      const closing = manager.close();
      await closing;
    }
    expect(existsSync(dir)).toBe(false);
  });

  it('is one manager’s when two start in it at once', { timeout: 15_000 }, async () => {
    leaveBehind();
    const results = await Promise.allSettled([open(dir), open(dir)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    for (const result of results) {
      if (result.status === 'fulfilled') await result.value.close();
      else expect(result.reason).toMatchObject({ code: 'SBX_FIFO_DIRECTORY' });
    }
  });
});

it.each([['two-pipe'], ['legacy']] as const)('an empty one is one manager’s, too: %s', async (name) => {
  const layout = name === 'legacy' ? name : undefined;
  const results = await Promise.allSettled([open(dir, layout), open(dir, layout)]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  for (const result of results) if (result.status === 'fulfilled') await result.value.close();
  expect(existsSync(dir)).toBe(false);
});

describe('a directory is refused', () => {
  it('whose manager lives', async () => {
    const manager = await open(dir);
    await expect(open(dir)).rejects.toThrow('is in use: a manager answers for it');
    expect(readdirSync(dir)).toContain('wait');
    await manager.close();
  });

  it.each([
    ['something else', 'notes'],
    ['a file by the name of a pipe', 'wait'],
  ])('that holds %s', async (_, name) => {
    writeFileSync(join(dir, name), 'mine');
    await expect(open(dir)).rejects.toThrow('is not an empty directory of this user');
    expect(readFileSync(join(dir, name), 'utf8')).toBe('mine');
  });
});
