import { expect, test } from 'vitest';
import { FLAGS } from './flags.js';
import { usage } from './usage.js';

const lines = usage().split('\n');
const lineOf = (name: string) => lines.find((line) => line.startsWith(`  -${name} `));

test('each flag has one line, its text in one column', () => {
  for (const [name, flag] of Object.entries(FLAGS)) expect(lineOf(name)?.indexOf(flag.usage), name).toBe(39);
});

test.each([
  ['http-addr', '(default localhost:5050)'],
  ['copy-out-limit', '(default 256m)'],
  ['store-max-size', '(default 8g)'],
  ['extra-memory-limit', '(default 16k)'],
  ['open-file-limit', '(default 256)'],
  ['time-limit-checker-interval', '(default 100ms)'],
  ['file-timeout', '(default never)'],
  ['mount-conf', '(default mount.yaml'],
  ['compat', '(default default)'],
])('-%s says its default', (name, text) => {
  expect(lineOf(name)).toContain(text);
});

test.each(['auth-token', 'release', 'cpuset'])('-%s, off by default, says nothing more', (name) => {
  expect(lineOf(name)).not.toContain('default');
});
