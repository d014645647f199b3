import { expect, it } from 'vitest';
import { coreLimit } from './kernel.js';

it.each([
  ['|/usr/share/apport/apport -p%p', 1],
  ['|/usr/lib/systemd/systemd-coredump %P', 1],
  ['@/run/coredump.socket', 0],
  ['@@/run/coredump.socket', 0],
  ['core', 1],
  ['/var/crash/core.%p', 1],
  ['', 1],
])('the limit of core dumps with the pattern %j', (pattern, expected) => {
  expect(coreLimit(`${pattern}\n`)).toBe(expected);
});
