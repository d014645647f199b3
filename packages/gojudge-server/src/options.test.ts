import { describe, expect, test } from 'vitest';
import { type GojudgeServerOptions, parseOptions } from './options.js';

describe('names that all servers share, and the former ones', () => {
  const cases: [GojudgeServerOptions, object][] = [
    [{}, { httpAddr: 'localhost:5050', token: null, allowedOrigins: null, allowedHosts: null }],
    [{ host: '::1', port: 0 }, { httpAddr: '[::1]:0' }],
    [{ port: 81 }, { httpAddr: 'localhost:81' }],
    [{ host: '0.0.0.0' }, { httpAddr: '0.0.0.0:5050' }],
    [{ httpAddr: ':5051' }, { httpAddr: ':5051' }],
    [{ token: 't' }, { token: 't' }],
    [{ authToken: 't' }, { token: 't' }],
    [{ authToken: '' }, { token: null }],
    [{ token: null, authToken: undefined }, { token: null }],
    [{ allowedOrigins: ['http://a.b'] }, { allowedOrigins: ['http://a.b'] }],
    [{ allowOrigins: [] }, { allowedOrigins: [] }],
    [{ allowedHosts: ['a.b'] }, { allowedHosts: ['a.b'] }],
    [{ allowHosts: ['a.b'] }, { allowedHosts: ['a.b'] }],
  ];
  test.each(cases)('%j', (options, resolved) => {
    expect(parseOptions(options)).toMatchObject(resolved);
    expect(parseOptions(options)).not.toHaveProperty('authToken');
  });

  test.each<[GojudgeServerOptions, string, string]>([
    [{ httpAddr: ':1', port: 2 }, 'options.httpAddr', 'beside port'],
    [{ httpAddr: ':1', host: 'localhost' }, 'options.httpAddr', 'beside host'],
    [{ authToken: 'a', token: 'b' }, 'options.authToken', 'leave it out'],
    [{ allowHosts: [], allowedHosts: [] }, 'options.allowHosts', 'former name of allowedHosts'],
    [{ token: '' }, 'options.token', 'at least 1 characters'],
    [{ host: '' }, 'options.host', 'at least 1 characters'],
    [{ port: 65_536 }, 'options.port', 'at most 65535; got the number 65536'],
    [{ allowedOrigins: ['http://a.b/c'] }, 'options.allowedOrigins[0]', 'an origin as browsers send it'],
    [{ allowOrigins: ['*'] }, 'options.allowOrigins[0]', 'an origin as browsers send it'],
    [{ engine: {} as never }, 'options.engine', 'must be an Engine or another Runner'],
    [{ auth: 't' } as never, 'options.auth', 'is no option. Give token.'],
    [{ parallelism: '4' as never }, 'options.parallelism', 'a number; got the string "4"'],
  ])('%j is refused', (options, field, text) => {
    const message = expect.stringContaining(text);
    expect(() => parseOptions(options)).toThrow(
      expect.objectContaining({ code: 'SBX_INVALID_OPTIONS', field, message }),
    );
  });
});
