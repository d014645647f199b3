import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { chosenProtocol, isVersionSupported, offersProtocol, presentedToken } from './entry.js';

const request = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;

it.each([
  [undefined, true],
  ['1', true],
  ['1.0', true],
  ['2, 1', true],
  ['1.1', false],
  ['2', false],
  ['', false],
])('version %j', (version, expected) => {
  expect(isVersionSupported(request(version === undefined ? {} : { 'x-protocol-version': version }))).toBe(
    expected,
  );
});

it('the token comes by header, or by subprotocol where a page cannot set one', () => {
  const encoded = Buffer.from('other').toString('base64url');
  const offered = { 'sec-websocket-protocol': `fathom.v1, fathom.bearer.${encoded}` };
  expect(presentedToken(request({ authorization: 'Bearer secret', ...offered }))).toBe('secret');
  expect(presentedToken(request(offered))).toBe('other');
  expect(presentedToken(request({}))).toBe('');
});

it('our subprotocol is answered when it was offered', () => {
  expect(offersProtocol(request({ 'sec-websocket-protocol': 'a, fathom.v1' }))).toBe(true);
  expect(offersProtocol(request({ 'sec-websocket-protocol': 'fathom.v10' }))).toBe(false);
  expect(chosenProtocol(new Set(['a', 'fathom.v1']))).toBe('fathom.v1');
  expect(chosenProtocol(new Set(['a']))).toBe(false);
});
