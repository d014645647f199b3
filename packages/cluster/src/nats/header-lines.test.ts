import { headers } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { passOverBrokenHeaders } from './header-lines.js';

passOverBrokenHeaders();

const { decode } = headers().constructor as unknown as {
  decode(bytes: Uint8Array): ReturnType<typeof headers>;
};
const read = (lines: string, status = '') => decode(Buffer.from(`NATS/1.0${status}\r\n${lines}\r\n\r\n`));

test('headers are read as the library reads them', () => {
  const found = read('A: 1\r\nB-c:2\r\nA: 3\r\nno header', ' 404 No Messages');
  expect(found.values('A')).toEqual(['1', '3']);
  expect(found.get('B-c')).toBe('2');
  expect([found.code, found.description]).toEqual([404, 'No Messages']);
});

test.each([
  ['a line feed', 'X: a\nb'],
  ['a carriage return', 'X: a\rb'],
  ['a name of more than letters', 'a b: 1'],
  ['a name that is none', 'ä: 1'],
  ['a name without end', `${'a'.repeat(200_000)}: 1`],
])('a line with %s is passed over, and those around it are read', (_what, line) => {
  const found = read(`A: 1\r\n${line}\r\nB: 2`, ' 100 Idle');
  expect(found.keys()).toEqual(['A', 'B']);
  expect(found.code).toBe(100);
});

test('a long line is read', () => {
  expect(read(`A: ${'x'.repeat(5000)}\r\nB: 2`).get('A')).toHaveLength(5000);
});

test('of too many lines none is read', () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `${index}:`);
  const found = read(['A: 1', ...lines, 'B: 2'].join('\r\n'), ' 503');
  expect(found.keys()).toEqual([]);
  expect(found.code).toBe(503);
});
