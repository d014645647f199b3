import { describe, expect, it } from 'vitest';
import { DEFAULT_ENV } from '../options/defaults.js';
import { environmentFor, pathOf } from './request.js';

describe('environmentFor', () => {
  it.each<[string, Parameters<typeof environmentFor>, readonly string[]]>([
    ['none is the default', [{}, undefined], Object.entries(DEFAULT_ENV).map(([k, v]) => `${k}=${v}`)],
    ['the sandbox’s, where the program has none', [{}, ['A=1']], ['A=1']],
    ['the program’s own, whole', [{ env: { B: '2' } }, { A: '1' }], ['B=2']],
    ['an empty one is one', [{ env: [] }, { A: '1' }], []],
    [
      'strings stay as they are',
      [{ env: ['A=1', 'A=2', 'x', '', '=y'] }, undefined],
      ['A=1', 'A=2', 'x', '', '=y'],
    ],
    ['a terminal brings TERM', [{ env: ['A=1'], pty: {} }, undefined], ['A=1', 'TERM=xterm-256color']],
    ['but not over the program’s own', [{ env: { TERM: 'dumb' }, pty: {} }, undefined], ['TERM=dumb']],
    [
      'unless it is named',
      [{ env: ['TERM=a', 'B=1', 'TERM=b'], pty: { term: 'c' } }, undefined],
      ['B=1', 'TERM=c'],
    ],
  ])('%s', (_sentence, [options, ofSandbox], expected) => {
    expect(environmentFor(options, ofSandbox)).toEqual(expected);
  });
});

describe('pathOf', () => {
  it.each<[readonly string[], string | undefined]>([
    [['PATH=/a', 'PATH=/b', 'XPATH=/c'], '/b'],
    [['PATH='], ''],
    [['PATHX=/a', 'PATH'], undefined],
    [[], undefined],
  ])('%j', (environment, expected) => {
    expect(pathOf(environment)).toBe(expected);
  });
});
