import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { isOrigin, makeEntryCheck } from './entry.js';

const ask = (rules: object, headers: Record<string, string>, localAddress = '127.0.0.1') =>
  makeEntryCheck({ token: null, allowedOrigins: [], ...rules })({
    headers,
    socket: { localAddress },
  } as unknown as IncomingMessage);

const listed = { allowedOrigins: ['https://judge.example', 'http://judge.example:81', 'null'] };
const guarded = { token: 't' };

describe('who may call', () => {
  test.each<[string, object, Record<string, string>, string | null]>([
    ['a program that names no host', {}, {}, null],
    ['one that names this machine by its address', {}, { host: '127.0.0.1:8765' }, null],
    ['another address of loopback', {}, { host: '127.0.1.1:8765' }, null],
    ['localhost', {}, { host: 'LocalHost:8765' }, null],
    ['IPv6', {}, { host: '[::1]:8765' }, null],
    ['the name of this machine', {}, { host: `${hostname()}:8765` }, null],
    ['a page whose name was made to lead here', {}, { host: 'evil.example:8765' }, 'foreign-page'],
    ['a name that begins as ours', {}, { host: 'localhost.evil.example' }, 'foreign-page'],
    ['no name at all', {}, { host: '' }, 'foreign-page'],
    ['an upgrade of a program, by a proxy', {}, { host: 'judge.example', upgrade: 'websocket' }, null],
    ['one of a page', {}, { origin: 'http://evil.example', upgrade: 'websocket' }, 'foreign-page'],
    ['a page of this machine', {}, { origin: 'http://localhost:3000', host: 'localhost:8765' }, null],
    ['what runs in a sandbox', {}, { origin: 'http://127.83.66.120:3000' }, 'foreign-page'],
    ['a page of another', {}, { origin: 'http://evil.example' }, 'foreign-page'],
    ['one that hides where it is from', {}, { origin: 'null' }, 'foreign-page'],
    ['a page that is listed', listed, { origin: 'https://judge.example' }, null],
    ['the host of one, behind a proxy that keeps the name', listed, { host: 'Judge.example' }, null],
    ['with its port', listed, { host: 'judge.example:81' }, null],
    ['of another port', listed, { host: 'judge.example:82' }, 'foreign-page'],
    ['a page of another port', listed, { origin: 'https://judge.example:444' }, 'foreign-page'],
    ['the right token, wherever the page is from', guarded, { authorization: 'Bearer t', host: 'x.y' }, null],
    ['the right token, small letters', guarded, { authorization: 'bearer  t ' }, null],
    ['one with blanks', { token: 'two words' }, { authorization: 'Bearer two words' }, null],
    ['the beginning of one', { token: 'two words' }, { authorization: 'Bearer two' }, 'no-token'],
    ['one beyond ASCII, as curl sends it', { token: 'clé' }, { authorization: 'Bearer cl\xc3\xa9' }, null],
    ['as fetch sends it', { token: 'clé' }, { authorization: 'Bearer cl\xe9' }, null],
    ['another', guarded, { authorization: 'Bearer tt' }, 'no-token'],
    ['none', guarded, { origin: 'http://localhost' }, 'no-token'],
  ])('%s', (_, rules, headers, objection) => {
    expect(ask(rules, headers)).toBe(objection);
  });

  test('on an address of the network nothing can be told from names', () => {
    expect(ask({}, { host: 'judge.example' }, '192.0.2.1')).toBe(null);
    expect(ask({}, { host: 'judge.example' }, '::ffff:127.0.0.1')).toBe('foreign-page');
  });

  test('a page of the very address that a server has is its own', () => {
    expect(ask({}, { origin: 'http://127.0.1.1:8765' }, '127.0.1.1')).toBe(null);
    expect(ask({}, { origin: 'http://127.0.1.1:8765' }, '::ffff:127.0.1.1')).toBe(null);
    expect(ask({}, { origin: 'http://127.0.1.1:8765' }, '127.0.0.1')).toBe('foreign-page');
    expect(ask({}, { origin: 'http://127.0.1.1:8765' }, '::1')).toBe('foreign-page');
  });

  test('a server may take the token from elsewhere', () => {
    const rules = { ...guarded, presentedToken: () => 't' };
    expect(ask(rules, {})).toBe(null);
  });
});

test.each([
  ['https://example.org', true],
  ['chrome-extension://abc', true],
  ['null', true],
  ['https://example.org/', false],
  ['https://Example.org', false],
  ['https://example.org:443', false],
  ['*', false],
])('isOrigin: %s %s', (text, is) => {
  expect(isOrigin(text)).toBe(is);
});
