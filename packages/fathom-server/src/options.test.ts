import { expect, it } from 'vitest';
import { type FathomServerOptions, parseOptions } from './options.js';

it('has defaults that are safe: this machine alone, no page of the web, no token needed there', () => {
  const options = parseOptions({});
  expect(options).toMatchObject({
    host: '127.0.0.1',
    port: 8765,
    path: '/ws',
    token: null,
    allowedOrigins: [],
    network: 'none',
    queueLength: 256,
    standby: { python: 2, javascript: 2, elixir: 1 },
  });
  expect(options.parallelism).toBeGreaterThanOrEqual(8);
});

it.each<[string, object, string]>([
  ['an unknown key', { prot: 1 }, 'options.prot is no option. Did you mean port?'],
  ['a wrong type', { port: '80' }, 'options.port must be a'],
  ['a number out of range', { port: 65_536 }, 'options.port must be at most 65535'],
  ['a path that is none', { path: 'ws' }, 'options.path'],
  [
    'an origin with a path',
    { allowedOrigins: ['https://example.org/'] },
    'must be an origin as browsers send it',
  ],
  ['a language twice', { languages: ['python', 'python'] }, 'must name each language once'],
  [
    'interpreters of a language that is not on offer',
    { languages: ['python'], standby: { ruby: 1 } },
    'options.standby must name languages on offer: python',
  ],
  ['a time that timers cannot hold', { stallMs: 2 ** 31 }, 'options.stallMs must be at most'],
  ['an empty token', { token: '' }, 'options.token must have at least 1 characters'],
])('%s is named with its rule', (_, options, message) => {
  expect(() => parseOptions(options as FathomServerOptions)).toThrow(message);
});

it('interpreters that are to wait may be named for languages of one’s own', () => {
  const mine = { name: 'mine' } as never;
  expect(parseOptions({ languages: [mine], standby: { mine: 3 } }).standby).toEqual({ mine: 3 });
});
