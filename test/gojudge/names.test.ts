// Names of the wire that every JavaScript object has, too: they name files and nothing else, and nothing
// leaks.
import { expect, test } from 'vitest';
import { openDescriptors } from '../helpers/proc.mjs';
import { cmd, post, useServer } from './server.js';

const server = useServer();

/** What a plain object answers to without having been given it. */
const NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'then', 'prototype'];

interface Result {
  status: string;
  files?: Record<string, string>;
  fileIds?: Record<string, string>;
  fileError?: { name: string; type: string }[];
}

async function run(more: object, script = 'true'): Promise<Result> {
  const response = await post(server.url, { cmd: [cmd(['/bin/sh', '-c', script], more)] });
  expect(response.status, await response.clone().text()).toBe(200);
  const [result] = (await response.json()) as Result[];
  return result!;
}

/** Those of a file that a program made. */
const heldOf = (name: string) => [...openDescriptors().values()].filter((path) => path.includes(name));

test('a file that was not made is not there, whatever it is called', async () => {
  const result = await run({ copyOut: NAMES });
  expect(result.status).toBe('File Error');
  expect(result.fileError?.map(({ name, type }) => [name, type])).toEqual(
    NAMES.map((name) => [name, 'CopyOutOpen']),
  );
  const optional = await run({ copyOut: NAMES.map((name) => `${name}?`) });
  expect(optional).toMatchObject({ status: 'Accepted', files: { stdout: '', stderr: '' } });
  expect(Object.keys(optional.files!).sort()).toEqual(['stderr', 'stdout']);
});

test('a file that was made comes back under its name, as text and stored', async () => {
  const script = NAMES.map((name) => `printf %s ${name} > ${name}`).join('; ');
  const result = await run({ copyOut: NAMES }, script);
  expect(result.status).toBe('Accepted');
  for (const name of NAMES) expect(Object.getOwnPropertyDescriptor(result.files, name)?.value).toBe(name);
  const stored = await run({ copyOutCached: NAMES }, script);
  expect(Object.keys(stored.fileIds!).sort()).toEqual([...NAMES].sort());
  for (const id of Object.values(stored.fileIds!)) {
    expect((await fetch(`${server.url}/file/${id}`, { method: 'DELETE' })).status).toBe(200);
  }
});

test('files go in under such names, and are collected under them', async () => {
  const copied = ['valueOf', '__defineGetter__'].map((name) => [name, { content: `in ${name}` }]);
  const files = [{ content: '' }, { name: '__proto__', max: 1000 }, { name: 'constructor', max: 1000 }];
  const result = await run(
    { copyIn: Object.fromEntries(copied), files },
    'cat valueOf; cat __defineGetter__ >&2',
  );
  expect(result.status).toBe('Accepted');
  const own = (name: string) => Object.getOwnPropertyDescriptor(result.files, name)?.value;
  expect([own('__proto__'), own('constructor')]).toEqual(['in valueOf', 'in __defineGetter__']);
});

test('descriptors of stored files are closed beside names that were not made', async () => {
  const ask = () =>
    run(
      { copyOutCached: ['big-one'], copyOut: ['valueOf?', 'toString?'] },
      'head -c 1000000 /dev/zero > big-one',
    );
  for (let times = 0; times < 5; times += 1) {
    const { fileIds, status } = await ask();
    expect(status).toBe('Accepted');
    await fetch(`${server.url}/file/${fileIds!['big-one']}`, { method: 'DELETE' });
  }
  expect(heldOf('big-one')).toEqual([]);
});
