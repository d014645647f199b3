import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import { validateGroup, validateSpawnGroup } from './group.js';

function errorOf(request: unknown, validate = validateGroup): InvalidOptionsError | null {
  try {
    validate(request);
    return null;
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
}

const two = [{ file: 'a' }, { file: 'b', args: ['x'] }];
const end = (index: number, fd: number) => ({ index, fd });

/** So many, between the descriptors from 0 on of 256 programs. */
const pipesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const [index, fd] = [at % 256, 2 * Math.floor(at / 256)];
    return { from: end(index, fd), to: end((index + 1) % 256, fd + 1) };
  });

/** What goes elsewhere in a group than in a run, or has another name in go-judge's interface. */
it.each<[string, unknown, string]>([
  ['options of a program', { programs: [{ file: 'a', options: {} }] }, '{ file, args, ...options }'],
  ['a list of programs alone', two, '{ programs: ['],
  ['a pipe from in', { programs: two, pipes: [{ in: end(0, 1), out: end(1, 0) }] }, 'Give from'],
  ['a pipe to out', { programs: two, pipes: [{ from: end(0, 1), out: end(1, 0) }] }, 'Give to'],
])('%s: the error says where it belongs', (_, request, hint) => {
  expect(errorOf(request)?.hint).toContain(hint);
});

describe('validateGroup', () => {
  it.each<[unknown]>([
    [{ programs: two }],
    [{ programs: two, pipes: [], signal: new AbortController().signal }],
    [{ programs: Array(256).fill({ file: 'a' }), pipes: pipesOf(4096) }],
    [
      {
        programs: two,
        pipes: [
          { from: end(0, 1), to: end(1, 0) },
          { from: end(1, 1), to: end(0, 0) },
        ],
      },
    ],
    [{ programs: two, pipes: [{ from: end(0, 7), to: end(0, 8), record: { maxBytes: 10 } }] }],
    [{ programs: two, pipes: [{ from: end(0, 7), to: end(0, 8), record: { maxBytes: 0, drain: true } }] }],
    [{ programs: two, pipes: [{ from: end(0, 7), to: end(0, 8), relay: true }] }],
    [{ programs: two, pipes: [{ from: end(0, 7), to: end(0, 8), relay: { drain: false } }] }],
    [{ programs: [{ file: 'a', limits: { diskBytes: 4096 }, network: 'loopback', copyOut: ['x'] }] }],
    [{ programs: [{ file: 'a', pty: {} }], pipes: [{ from: end(0, 3), to: end(0, 4) }] }],
    [{ programs: [{ file: 'a', pty: {} }, two[1]], pipes: [{ from: end(0, 1), to: end(1, 0) }] }],
    [{ programs: two, engine: { createSandbox() {}, runGroup() {} } }],
    [{ programs: two, settle: 'each', onAbort: 'resolve' }],
    [
      {
        programs: [null, ...two],
        settle: 'each',
        pipes: [{ from: { index: 0, fd: 1 }, to: { index: 1, fd: 0 } }],
      },
    ],
    [{ programs: two, settle: 'all', onAbort: 'reject' }],
  ])('case %# is fine', (request) => {
    expect(errorOf(request)).toBeNull();
  });

  it.each<[unknown, string, string]>([
    [undefined, '', 'type'],
    [{}, '.programs', 'required'],
    [{ programs: [] }, '.programs', 'size'],
    [{ programs: Array(257).fill({ file: 'a' }) }, '.programs', 'size'],
    [{ programs: two, pipes: Array(4097).fill({}) }, '.pipes', 'size'],
    [{ programs: two, pipe: [] }, '.pipe', 'unknown-key'],
    [{ programs: ['a'] }, '.programs[0]', 'type'],
    [{ programs: [two[0], null] }, '.programs[1]', 'conflict'],
    [{ programs: [{}] }, '.programs[0].file', 'required'],
    [{ programs: [{ file: 'ls -l' }] }, '.programs[0].file', 'format'],
    [{ programs: [two[0], { file: 'a', args: [1] }] }, '.programs[1].args[0]', 'type'],
    [{ programs: [{ file: 'a', signal: AbortSignal.abort() }] }, '.programs[0].signal', 'unknown-key'],
    [{ programs: [{ file: 'a', onStdout() {} }] }, '.programs[0].onStdout', 'unknown-key'],
    [{ programs: [{ file: 'a', onAbort: 'resolve' }] }, '.programs[0].onAbort', 'unknown-key'],
    [{ programs: two, settle: 'one' }, '.settle', 'choice'],
    [{ programs: two, onAbort: 'resolved' }, '.onAbort', 'choice'],
    [{ programs: [{ file: 'a', stdin: 'pipe' }] }, '.programs[0].stdin', 'not-here'],
    [{ programs: [{ file: 'a', pty: {}, stdin: 'null' }] }, '.programs[0].stdin', 'conflict'],
    [{ programs: [{ file: 'a', limits: { cpuTimeMs: 0 } }] }, '.programs[0].limits.cpuTimeMs', 'range'],
    [{ programs: [{ file: 'a', args: Array(20).fill('x'.repeat(130_000)) }] }, '.programs[0].args', 'size'],
    [{ programs: two, pipes: {} }, '.pipes', 'type'],
    [{ programs: two, pipes: [{ from: end(0, 1) }] }, '.pipes[0].to', 'required'],
    [{ programs: two, pipes: [{ from: end(0, 1), to: { index: 1 } }] }, '.pipes[0].to.fd', 'required'],
    [{ programs: two, pipes: [{ from: end(0, 256), to: end(1, 0) }] }, '.pipes[0].from.fd', 'range'],
    [{ programs: two, pipes: [{ from: end(2, 1), to: end(1, 0) }] }, '.pipes[0].from.index', 'range'],
    [{ programs: two, pipes: [{ from: end(0, 1), to: end(0, 1) }] }, '.pipes[0].to.fd', 'conflict'],
    [
      { programs: two, pipes: [{ from: end(0, 1), to: end(1, 0), record: {} }] },
      '.pipes[0].record.maxBytes',
      'required',
    ],
    [
      {
        programs: two,
        pipes: [
          { from: end(0, 1), to: end(1, 0) },
          { from: end(0, 2), to: end(1, 0) },
        ],
      },
      '.pipes[1].to.fd',
      'conflict',
    ],
    [
      { programs: [two[0], { file: 'b', stdin: 'empty' }], pipes: [{ from: end(0, 1), to: end(1, 0) }] },
      '.pipes[0].to.fd',
      'conflict',
    ],
    [
      {
        programs: [two[0], { file: 'b', fds: { 5: { fd: 1 } } }],
        pipes: [{ from: end(1, 5), to: end(0, 0) }],
      },
      '.pipes[0].from.fd',
      'conflict',
    ],
    [{ programs: two, pipes: [{ from: end(0, 1), to: end(1, 0), relay: false }] }, '.pipes[0].relay', 'type'],
    [
      { programs: two, pipes: [{ from: end(0, 1), to: end(1, 0), relay: true, record: { maxBytes: 1 } }] },
      '.pipes[0].relay',
      'conflict',
    ],
  ])('case %# is refused', (request, path, rule) => {
    const error = errorOf(request);
    expect([error?.field, error?.rule]).toEqual([`request${path}`, rule]);
  });

  it('says what already uses a descriptor', () => {
    const pipes = [
      { from: end(0, 1), to: end(1, 0) },
      { from: end(0, 1), to: end(1, 3) },
    ];
    expect(errorOf({ programs: two, pipes })?.message).toContain('pipes[0].from already uses it');
    const fixed = [{ file: 'a', stdout: 'null' }, two[1]];
    expect(errorOf({ programs: fixed, pipes })?.message).toContain('programs[0].stdout already uses it');
  });
});

describe('validateSpawnGroup', () => {
  it('takes live streams, unless a pipe is there', () => {
    const programs = [{ file: 'a', stdin: 'pipe', fds: { 3: { output: 'pipe' } } }, { file: 'b' }];
    expect(errorOf({ programs }, validateSpawnGroup)).toBeNull();
    const pipes = [{ from: end(1, 1), to: end(0, 0) }];
    expect(errorOf({ programs, pipes }, validateSpawnGroup)?.rule).toBe('conflict');
  });
});
