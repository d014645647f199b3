import { describe, expect, it } from 'vitest';
import { type GojudgeServerOptions, parseOptions } from './options.js';

describe('the address and the token have the names of the other servers', () => {
  it.each<[GojudgeServerOptions, string]>([
    [{}, 'localhost:5050'],
    [{ port: 0 }, 'localhost:0'],
    [{ host: '::1' }, '::1:5050'],
    [{ host: '0.0.0.0', port: 80, httpAddr: undefined }, '0.0.0.0:80'],
    [{ httpAddr: ':5050', host: undefined, port: undefined }, ':5050'],
  ])('%j listens at %s', (options, address) => {
    expect(parseOptions(options).httpAddr).toBe(address);
  });

  it.each<[GojudgeServerOptions, string | null]>([
    [{}, null],
    [{ token: 's' }, 's'],
    [{ authToken: 's', token: undefined }, 's'],
    [{ token: null }, null],
  ])('%j asks for %j', (options, token) => expect(parseOptions(options).authToken).toBe(token));

  it.each<[GojudgeServerOptions, RegExp]>([
    [{ port: 1, httpAddr: ':2' }, /^options\.httpAddr must not be given beside host and port/],
    [{ token: 'a', authToken: 'b' }, /^options\.authToken must not be given beside token/],
    [{ port: 65_536 }, /^options\.port must be/],
    [{ host: '' }, /^options\.host must/],
  ])('%j is refused', (options, text) => expect(() => parseOptions(options)).toThrow(text));
});
