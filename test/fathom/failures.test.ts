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
  const rows = descendants();
  const isProgram = ({ name }: { name: string }) => name !== 'sbx-preforked';
  const inits = rows.filter(
    ({ pid, name }) => name === 'sbx-init' && rows.some((row) => row.parent === pid && isProgram(row)),
  );
  // That of the program; those of sandboxes that stand ready have none below them.
  expect(inits.length).toBe(1);
  process.kill(inits[0]!.pid, 'SIGKILL');
  const fate = await talk.fate(id);
  expect(fate).toMatchObject({
    sequence: 'ack running stdout error:INTERNAL_ERROR',
    error: internal,
    stdout: 'before\n',
  });
  expect(fate.result).toBeUndefined();
});

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
