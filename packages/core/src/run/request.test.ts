import { describe, expect, it } from 'vitest';
import { DEFAULT_ENV } from '../options/defaults.js';
import {
  absolute,
  attemptOf,
  environmentFor,
  findsFirst,
  type ProgramRequest,
  pathOf,
  pinned,
} from './request.js';
import type { SandboxLease } from './sandbox-lease.js';

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

const requestFor = (file: string, options: ProgramRequest['options'] = {}, cpuSet: number[] | null = null) =>
  ({ file, args: [], options, limits: { cpuSet } }) as unknown as ProgramRequest;

describe('attemptOf', () => {
  const core = { workDir: '/w', hasMinimalRoot: false };

  it.each<[string, ProgramRequest, readonly string[], object]>([
    ['a path as it is', requestFor('./a'), ['PATH=/x'], { paths: ['./a'], noPath: false }],
    ['a name in each folder of PATH', requestFor('a'), ['PATH=/x:/y'], { paths: ['/x/a', '/y/a'] }],
    ['a name without PATH', requestFor('a'), [], { noPath: true }],
    [
      'a name in the working folder first',
      requestFor('a', { lookup: 'cwd-first' }),
      ['PATH=/x/'],
      { paths: ['a', '/x/a'], findsFirst: true },
    ],
  ])('looks for %s', (_, request, environment, expected) => {
    expect(attemptOf(request, environment, core)).toMatchObject(expected);
  });

  it('a path is never looked for by init, whatever the order', () => {
    expect(findsFirst(requestFor('./a', { lookup: 'cwd-first' }))).toBe(false);
    expect(findsFirst(requestFor('a', { lookup: 'path' }))).toBe(false);
  });

  it('knows the working folder and the root for an error', () => {
    expect(
      attemptOf(requestFor('a', { cwd: 'sub' }), [], { workDir: '/w', hasMinimalRoot: true }),
    ).toMatchObject({
      cwd: 'sub',
      minimalRoot: true,
    });
  });
});

it('a relative working folder starts at the work folder', () => {
  expect([absolute(undefined, '/w'), absolute('a/b', '/w'), absolute('/tmp', '/w')]).toEqual([
    '/w',
    '/w/a/b',
    '/tmp',
  ]);
});

describe('pinned', () => {
  const leaseOn = (cpu: number | null, ofEngine: number[] | null = null) =>
    ({ cpu, core: { limits: { cpuSet: ofEngine } } }) as unknown as SandboxLease;

  it('a program is on the CPU of its sandbox, where the engine pins', () => {
    expect(pinned(leaseOn(2), requestFor('a')).limits.cpuSet).toEqual([2]);
    const request = requestFor('a');
    expect(pinned(leaseOn(null), request)).toBe(request);
  });

  it('unless it asks for others itself', () => {
    expect(pinned(leaseOn(2), requestFor('a', {}, [0, 1])).limits.cpuSet).toEqual([0, 1]);
    const ofEngine = [0, 2];
    expect(pinned(leaseOn(2, ofEngine), requestFor('a', {}, ofEngine)).limits.cpuSet).toEqual([2]);
  });
});
