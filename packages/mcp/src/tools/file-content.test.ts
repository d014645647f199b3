import type { Sandbox } from '@sbx/core';
import { expect, test } from 'vitest';
import { bytesOf, contentOf, readPart } from './file-content.js';

const of = (bytes: Uint8Array) => ({ readFile: async () => bytes }) as unknown as Sandbox;

test.each([
  ['text', 'äöü', 'utf-8'],
  ['a byte order mark', '\ufeffx', 'utf-8'],
])('%s comes back as it went in', (_, content, encoding) => {
  expect(contentOf(bytesOf(content, 'utf-8'))).toEqual({ content, encoding });
});

test.each([
  ['no UTF-8', Buffer.from([0xff]), '/w=='],
  ['a zero byte', Buffer.from([0x61, 0]), 'YQA='],
])('%s is base64', (_, bytes, content) => {
  expect(contentOf(bytes)).toEqual({ content, encoding: 'base64' });
  expect(Buffer.from(bytesOf(content, 'base64'))).toEqual(bytes);
});

test.each(['x', '====', 'AA=A', 'AA A', 'AA'])('%j is no base64', (content) => {
  expect(() => bytesOf(content, 'base64')).toThrow(/must be base64/);
});

test('parts of a text join to it, and none ends inside a character', async () => {
  const text = 'aä€😀'.repeat(50);
  const bytes = Buffer.from(text);
  let joined = '';
  for (let offsetBytes = 0; offsetBytes < bytes.byteLength; ) {
    const part = await readPart(of(bytes), 'x', { offsetBytes, bytesMax: 7 });
    expect(part.sizeBytes).toBe(bytes.byteLength);
    expect(part.bytes.byteLength).toBeGreaterThan(3);
    expect(contentOf(part.bytes).encoding).toBe('utf-8');
    joined += contentOf(part.bytes).content;
    offsetBytes += part.bytes.byteLength;
  }
  expect(joined).toBe(text);
});

test('nothing is beyond the end', async () => {
  const part = await readPart(of(Buffer.from('x')), 'x', { offsetBytes: 5, bytesMax: 10 });
  expect(part).toMatchObject({ bytes: { byteLength: 0 }, sizeBytes: 1 });
});
