// The sandbox fails, not the program: one retryable error, alone; and the server goes on.
import { Engine } from '@sbx/core';
import { createFathomServer, type FathomServer } from '@sbx/fathom-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { descendants } from '../helpers/proc.mjs';
import { until } from '../helpers/wait.js';
import { Talk } from './server.js';

let engine: Engine;
let server: FathomServer;
let talk: Talk;
const logged: string[] = [];
beforeAll(async () => {
  // Two sandboxes, three places: the third execution cannot have what it was promised.
  engine = await Engine.open({ maxSandboxes: 2, readyCount: 1 });
  const log = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }));
  const logger = { debug() {}, info() {}, warn() {}, error: log };
  server = await createFathomServer({
    port: 0,
    engine,
    languages: ['shell'],
    standby: {},
    parallelism: 3,
    logger,
  });
  const { urls } = await server.listen();
  talk = await Talk.open(urls[0]!);
}, 60_000);
afterAll(async () => {
  await talk.close();
  await server.close();
  await engine.close();
});

const internal = { code: 'INTERNAL_ERROR', retryable: true };

test('no sandbox can be had: the error follows the ack', async () => {
  const first = talk.start({ code: 'sleep 1; echo one' });
  const other = talk.start({ code: 'sleep 1' });
  await Promise.all([talk.running(first), talk.running(other)]);
  const second = await talk.run({ code: 'echo SECRET-CODE' });
  const overloaded = { code: 'SANDBOX_OVERLOADED', retryable: true };
  expect(second).toMatchObject({ sequence: 'ack error:SANDBOX_OVERLOADED', error: overloaded });
  expect(await talk.fate(first)).toMatchObject({ status: 'completed', stdout: 'one\n' });
  await talk.fate(other);
  expect(logged.join()).toMatch(/SBX_OVERLOADED/);
  expect(logged.join()).not.toMatch(/SECRET/);
});

test('the sandbox dies under the program: what came stays, the error is the end', async () => {
  const id = talk.start({ code: 'echo before; sleep 60' });
  await talk.until((message) => message.id === id && message.type === 'stdout');
  // Sandboxes of the runs before may still be going, and those that stand ready have processes as well.
  const sleeping = () => descendants().filter(({ name }) => name === 'sleep');
  await until(5000, 'its last command alone sleeps', () => sleeping().length === 1);
  process.kill(initAbove(sleeping()[0]!.pid), 'SIGKILL');
  const fate = await talk.fate(id);
  expect(fate).toMatchObject({
    sequence: 'ack running stdout error:INTERNAL_ERROR',
    error: internal,
    stdout: 'before\n',
  });
  expect(fate.result).toBeUndefined();
});

/** The init of the sandbox that a process is in. */
function initAbove(pid: number): number {
  const rows = new Map(descendants().map((row) => [row.pid, row]));
  let row = rows.get(pid)!;
  while (row.name !== 'sbx-init') row = rows.get(row.parent)!;
  return row.pid;
}

test('and the next one is served', async () => {
  await until(5000, 'all places are free', () => server.load().active === 0);
  await until(
    10_000,
    'a sandbox is there again',
    async () => (await talk.run({ code: 'echo again' })).stdout === 'again\n',
  );
});

test('the engine is closed under the server: the same, and readiness is the engine’s owner’s affair', async () => {
  const id = talk.start({ code: 'sleep 60' });
  await talk.running(id);
  await engine.close();
  expect(await talk.fate(id)).toMatchObject({ error: internal });
  expect(await talk.run({ code: '' })).toMatchObject({ sequence: 'ack error:INTERNAL_ERROR' });
});
