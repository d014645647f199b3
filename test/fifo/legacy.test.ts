// The seven pipes of 2018, driven by a client that opens, writes and reads as those did: in order, blocking,
// no line feeds.
import { existsSync } from 'node:fs';
import { FifoManager } from '@sbx/fifo-protocol/server';
import { expect, test } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { execute, managed } from '../helpers/fifo.js';

const suite = useEngine();

const CLIENT = `
import json, os, sys
here = sys.argv[1]
pipe = lambda name: os.path.join(here, name + ".pipe")
down = open(pipe("downward"), "w")
up = open(pipe("upward"))
def value(name):
    with open(pipe(name)) as f: return f.read()
def wait(byte):
    with open(pipe("wait"), "w") as f: f.write(byte)
    return [value(name) for name in ("status", "time_usage", "memory_usage", "error")]
out = []
exec(sys.argv[2])
out.append(wait("1"))
print(json.dumps(out))
`;

const options = {
  layout: 'legacy',
  program: { stdin: 'pipe', stdout: 'pipe', stderr: 'null' },
} as const;

/** Starts the client before the program is there: it is the client's opening that starts it. */
async function drive(command: readonly string[], script: string): Promise<string[][]> {
  const sandbox = await suite.engine.createSandbox();
  const [file = '', ...args] = command;
  const start = () => sandbox.spawn(file, args, options.program);
  const manager = await FifoManager.open(start, { layout: 'legacy' });
  try {
    expect(manager.program).toBe(null);
    const out = await execute('python3', ['-c', CLIENT, manager.dir, script]);
    await manager.finished;
    expect(existsSync(manager.dir)).toBe(false);
    return JSON.parse(out) as string[][];
  } finally {
    await manager.close();
    await sandbox.close();
  }
}

test('a dialogue, a section, and the last call', async () => {
  const script = `
out.append(wait("0"))
print("burn 20", file=down, flush=True)
assert up.readline() == "ok\\n"
out.append(wait("0"))
down.close()
assert up.read() == ""
`;
  const [before, after, last] = await drive([t('obey')], script);
  expect([before![0], after![0]]).toEqual(['RUNNING', 'RUNNING']);
  const seconds = Number(after![1]) - Number(before![1]);
  expect(seconds).toBeGreaterThan(0.018);
  expect(seconds).toBeLessThan(0.03);
  expect(Number(before![2])).toBeGreaterThan(0);
  expect(before![3]).toBe('');
  expect([last![0], last![2], last![3]]).toEqual(['TERMINATED_SUCCESSFULLY', '0', '']);
});

test('a crash is told', async () => {
  const [last] = await drive([t('die-by'), '11'], 'assert up.read() == ""');
  expect([last![0], last![3]]).toEqual(['TERMINATED_WITH_ERROR', 'process interrupted by signal 11']);
});

test('a start that fails closes both pipes, and the reason is in the state', async () => {
  const [state, last] = await drive(['/no/such'], 'assert up.read() == ""; out.append(wait("0"))');
  expect(state![0]).toBe('TERMINATED_WITH_ERROR');
  expect(state![3]).toMatch(/^process not started; /);
  expect(last).toEqual(state);
});

test('a program that never ends is killed with the last call', async () => {
  const [last] = await drive([t('sleep-ms'), '60000'], '');
  expect(last![0]).toBe('TERMINATED_SUCCESSFULLY');
});

test('closing before anybody has opened', async () => {
  await managed(suite.engine, [t('obey')], async ({ manager }) => manager.close(), {
    ...options,
    layout: 'two-pipe',
    pipes: true,
  });
  const sandbox = await suite.engine.createSandbox();
  const manager = await FifoManager.open(() => sandbox.spawn(t('obey')), { layout: 'legacy' });
  await manager.close();
  expect(await manager.finished).toMatchObject({
    reading: { status: 'process not started; ended before the start' },
  });
  expect(existsSync(manager.dir)).toBe(false);
  await sandbox.close();
});
