import { expect, test } from 'vitest';
import { isRootless } from './rootless.js';

const status = (capabilities: string) => `Uid:\t0\nCapEff:\t${capabilities}\nCapBnd:\t0\n`;

test.each([
  ['root', 0, status('000001ffffffffff'), false],
  ['root in a container with Docker’s capabilities', 0, status('00000000a80425fb'), true],
  ['root where /proc is not mounted', 0, '', false],
  ['an ordinary user', 1000, status('000001ffffffffff'), true],
])('%s', (_who, uid, text, rootless) => {
  expect(isRootless(uid, text)).toBe(rootless);
});
