import type { RunnerProcess } from '@sbx/core';
import { expect, test } from 'vitest';
import { createRuntimes } from './runtimes.js';
import { FakeRunner } from './testing/fake-engine.js';

const HELLO = { language: 'python', code: 'print(1)' };

/** A request like this one was served before: its program is prepared. */
async function prepared(request: object) {
  const engine = new FakeRunner();
  const runtimes = createRuntimes({ engine });
  await runtimes.spawn({ ...HELLO, ...request });
  return { engine, spawn: (other: object) => runtimes.spawn({ ...HELLO, ...other } as never) };
}

test('requests that differ in their code and input alone are planned once', async () => {
  const written: unknown[] = [];
  const stdin = { end: async (bytes: unknown) => void written.push(bytes) };
  const { engine, spawn } = await prepared({ env: { A: '1' } });
  engine.process = { stdin } as unknown as RunnerProcess;
  await spawn({ env: { A: '1' }, code: 'print(2)', stdin: { text: 'in' } });
  expect(written).toEqual(['in']);
  expect(engine.checkCount).toBe(1);
  const [first, second] = engine.spawned.map(([, , options]) => options as { env: object; files: object });
  expect(second!.env).toBe(first!.env);
  expect([first!.files, second!.files]).toEqual([{ 'main.py': 'print(1)' }, { 'main.py': 'print(2)' }]);
});

test('a program with a large environment is not remembered', async () => {
  const env = { A: 'x'.repeat(20_000) };
  const { engine, spawn } = await prepared({ env });
  await spawn({ env });
  const [first, second] = engine.spawned.map(([, , options]) => options as { env: object });
  expect(second!.env).toEqual(first!.env);
  expect(second!.env).not.toBe(first!.env);
});

test.each([
  [{ limits: { memoryBytes: 2 ** 26 } }, { limits: { memoryBytes: 2 ** 27 } }],
  [{ env: { A: '1' } }, { env: { A: '2' } }],
  [{ args: ['1'] }, { args: [] }],
  [{}, { network: 'loopback' }],
])('%j is another program than %j', async (request, other) => {
  const { engine, spawn } = await prepared(request);
  await spawn(other);
  const [first, second] = engine.spawned.map(([, ...rest]) => rest);
  expect(second).not.toEqual(first);
});

class Disguised {
  memoryBytes = 'a lot';
  toJSON() {
    return {};
  }
}

test.each([
  [
    'a number that JSON calls null',
    { limits: { cpuTimeMs: null } },
    { limits: { cpuTimeMs: Infinity } },
    'limits.cpuTimeMs',
  ],
  ['a function that JSON leaves out', {}, { timeout: () => 1 }, 'timeout'],
  ['a class instance that JSON calls {}', { limits: {} }, { limits: new Disguised() }, 'limits'],
  ['code that is no text', {}, { code: 7 }, 'code'],
  ['code in bytes', {}, { code: new Uint8Array(1) }, 'code'],
  ['unknown input', {}, { stdin: 'inherit' }, 'stdin'],
])('%s is refused although an equal program is prepared', async (_name, request, wrong, field) => {
  const { engine, spawn } = await prepared(request);
  await expect(spawn(wrong)).rejects.toMatchObject({
    code: 'SBX_INVALID_OPTIONS',
    field: `options.${field}`,
  });
  expect(engine.spawned).toHaveLength(1);
});
