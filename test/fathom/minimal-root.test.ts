// A server whose programs see the packages of its languages instead of the host's /usr.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Talk, useServer } from './server.js';

const served = useServer({ root: 'minimal', languages: ['python', 'shell'], standby: { python: 1 } });
let talk: Talk;
beforeAll(async () => {
  await served.server.ready();
  talk = await Talk.open(served.url);
});
afterAll(async () => {
  await talk.close();
});

test('runs its languages, waiting interpreters too, and has no compiler', async () => {
  expect(served.server.languages).toEqual(['python', 'shell']);
  const code =
    'import os; print([os.path.exists(f"/usr/bin/{name}") for name in ("python3", "ls", "gcc", "node")])';
  expect((await talk.run({ language: 'python', code })).stdout).toBe('[True, True, False, False]\n');
  expect((await talk.run({ language: 'shell', code: 'ls /usr/local' })).stdout).toBe('');
});
