import type { Output } from '@sbx/core';
import { expect, test } from 'vitest';
import { show } from './shown.js';

const output = (text: string, lostBytes = 0) => {
  const bytes = Buffer.from(text);
  return { bytes, totalBytes: bytes.byteLength + lostBytes } as unknown as Output;
};

test.each([
  ['nothing', output(''), '', 0],
  ['as much as fits', output('12345678'), '12345678', 0],
  ['one byte more', output('123456789'), '1234\n[… 1 bytes left out …]\n6789', 1],
  ['cut by the limit already', output('123456', 5), '123456\n[… 5 bytes left out …]\n', 5],
  ['both', output('1234567890', 5), '1234\n[… 7 bytes left out …]\n7890', 7],
])('%s', (_, given, text, cutBytes) => {
  expect(show(given, 8)).toEqual({ text, cutBytes });
});
