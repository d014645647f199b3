import { expect, it } from 'vitest';
import { typeOf } from './mime.js';

const NOTHING = new Uint8Array(0);

it.each([
  ['a.txt', 'text/plain; charset=utf-8'],
  ['a.TXT', 'text/plain; charset=utf-8'],
  ['a.tar.gz', 'application/gzip'],
  ['a.json', 'application/json'],
  ['a.html', 'text/html; charset=utf-8'],
  ['a.mjs', 'text/javascript; charset=utf-8'],
  ['a.svg', 'image/svg+xml'],
])('%s is %s by its name', (name, type) => {
  expect(typeOf(name, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))).toBe(type);
});

it.each(['', 'a', 'a.', 'a.nosuchextension', 'constructor', 'a.constructor'])(
  '%j is what its bytes are',
  (name) => {
    expect(typeOf(name, NOTHING)).toBe('text/plain; charset=utf-8');
    expect(typeOf(name, Buffer.from('%PDF-1.7'))).toBe('application/pdf');
  },
);
