import { describe, expect, test } from 'vitest';
import { type EntryHeaders, makeEntryCheck } from './entry.js';

const open = { token: null, allowedOrigins: null, allowedHosts: null, strict: false };
const ask = (rules: object, headers: EntryHeaders, localAddress = '127.0.0.1') =>
  makeEntryCheck({ ...open, ...rules })(headers, { localAddress });

describe('entry', () => {
  const origins = { allowedOrigins: ['http://judge.example'] };
  const hosts = { allowedHosts: ['127.0.0.1', 'judge.example'] };
  const cases: [string, object, EntryHeaders, number][] = [
    ['a program, by whatever name its proxy keeps', {}, { host: 'judge.example' }, 0],
    ['a page of another machine', {}, { origin: 'http://evil.example', host: 'evil.example' }, 403],
    ['a page that hides where it is from', {}, { origin: 'null' }, 403],
    ['a page with a name that begins as ours', {}, { origin: 'http://localhost.evil.example' }, 403],
    ['a page of this machine', {}, { origin: 'http://localhost:3000' }, 0],
    ['the same by its address', {}, { origin: 'https://[::1]' }, 0],
    ['any page, strict', { strict: true }, { origin: 'http://evil.example' }, 0],
    ['a list, strict', { ...origins, strict: true }, { origin: 'http://evil.example' }, 403],
    [
      'a page that knows the token',
      { token: 't' },
      { origin: 'http://evil.example', authorization: 'Bearer t' },
      0,
    ],
    ['the right token', { token: 't' }, { authorization: 'Bearer t' }, 0],
    ['another token', { token: 't' }, { authorization: 'Bearer tt' }, 401],
    ['no token', { token: 't' }, {}, 401],
    ['a program, which has no origin', origins, {}, 0],
    ['a page of the list', origins, { origin: 'http://judge.example' }, 0],
    ['another page', origins, { origin: 'http://evil.example' }, 403],
    ['a page of another port', origins, { origin: 'http://judge.example:81' }, 403],
    ['a name of the list', hosts, { host: 'judge.example:5050' }, 0],
    ['its letter case', hosts, { host: 'Judge.Example' }, 0],
    ['another name', hosts, { host: 'evil.example' }, 403],
    ['no name', hosts, {}, 403],
    [
      'a page with the right token',
      { ...origins, token: 't' },
      { origin: 'null', authorization: 'Bearer t' },
      403,
    ],
  ];
  test('on an address of the network a page may be of any machine', () => {
    expect(ask({}, { origin: 'http://judge.example' }, '192.0.2.1')).toBe(0);
    expect(ask({}, { origin: 'http://judge.example' }, '::ffff:127.0.0.1')).toBe(403);
  });

  test.each(cases)('%s', (_, rules, headers, status) => {
    expect(ask(rules, headers)).toBe(status);
  });
});
