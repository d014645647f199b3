/**
 * The compiled program is run by an interpreter written here, and compared with a reading of the rules as
 * they stand.
 */
import { describe, expect, it } from 'vitest';
import { syscallNumber } from '../options/syscalls.js';
import type { SeccompAction, SeccompArgument, SeccompPolicy } from '../types/seccomp.js';
import { compilePolicy } from './seccomp-program.js';

const ANSWERS: Record<SeccompAction, number> = {
  allow: 0x7fff0000,
  log: 0x7ffc0000,
  trace: 0x7ff00000,
  errno: 0x00050001,
  trap: 0x00030000,
  'kill-thread': 0,
  'kill-process': 0x80000000,
};

/** What the kernel would: classic BPF over the number and six arguments. */
function run(words: readonly number[], number: number, args: readonly bigint[]): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  for (const [index, value] of args.entries()) data.setBigUint64(16 + 8 * index, value, true);
  const tests: Record<number, (a: number, k: number) => boolean> = {
    21: (a, k) => a === k,
    37: (a, k) => a > k,
    53: (a, k) => a >= k,
    69: (a, k) => (BigInt(a) & BigInt(k)) !== 0n,
  };
  let loaded = 0;
  for (let at = 0; at * 2 < words.length; at += 1) {
    const first = words[at * 2]!;
    const operand = words[at * 2 + 1]!;
    const code = first & 0xffff;
    if (code === 0x06) return operand;
    if (code === 0x20) loaded = data.getUint32(operand, true);
    else if (code === 0x05) at += operand;
    else at += tests[code]!(loaded, operand) ? (first >>> 16) & 0xff : (first >>> 24) & 0xff;
  }
  throw new Error('ran off the end');
}

function holds({ index, op, value, width = 64 }: SeccompArgument, args: readonly bigint[]): boolean {
  const got = BigInt.asUintN(width, args[index]!);
  const wanted = BigInt(value);
  const answers = {
    eq: got === wanted,
    ne: got !== wanted,
    gt: got > wanted,
    ge: got >= wanted,
    lt: got < wanted,
    le: got <= wanted,
    'bits-set': (got & wanted) !== 0n,
    'bits-not-set': (got & wanted) === 0n,
  };
  return answers[op];
}

function expected(policy: SeccompPolicy, number: number, args: readonly bigint[]): number {
  const rule = policy.rules.find(
    ({ names, args: tests = [] }) =>
      names.some((name) => syscallNumber(name, 'x64') === number) && tests.every((test) => holds(test, args)),
  );
  return ANSWERS[rule?.action ?? policy.defaultAction];
}

const none = [0n, 0n, 0n, 0n, 0n, 0n];

function compare(policy: SeccompPolicy, calls: readonly [number, readonly bigint[]][]): void {
  const words = compilePolicy(policy, 'x64');
  for (const [number, args] of calls) {
    expect(`${number} ${args}: ${run(words, number, args)}`).toBe(
      `${number} ${args}: ${expected(policy, number, args)}`,
    );
  }
}

const numbers = [...Array(512).keys(), 0x40000000, 0x7fffffff, 0xffffffff];
const everyNumber = numbers.map((number): [number, bigint[]] => [number, none]);

describe('calls without tests', () => {
  it.each<[string, SeccompPolicy]>([
    [
      'a deny-list',
      { defaultAction: 'allow', rules: [{ names: ['socket', 'read', '_sysctl'], action: 'errno' }] },
    ],
    [
      'an allow-list',
      { defaultAction: 'kill-process', rules: [{ names: ['execve', 'read'], action: 'allow' }] },
    ],
    ['no rules', { defaultAction: 'log', rules: [] }],
    [
      'the first rule of several',
      {
        defaultAction: 'allow',
        rules: [
          { names: ['read', 'write', 'open'], action: 'trap' },
          { names: ['write', 'close'], action: 'kill-thread' },
          { names: ['read'], action: 'allow' },
          { names: ['close', 'stat'], action: 'trace' },
        ],
      },
    ],
    [
      'names of another architecture and twice',
      { defaultAction: 'errno', rules: [{ names: ['read', 'read'], action: 'allow' }] },
    ],
  ])('%s', (_sentence, policy) => compare(policy, everyNumber));
});

describe('tests of arguments', () => {
  const values = [0n, 1n, 5n, 0xffffffffn, 0x100000000n, 0x100000005n, (1n << 63n) + 5n, (1n << 64n) - 1n];
  const ops: SeccompArgument['op'][] = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'bits-set', 'bits-not-set'];

  it.each(ops)('%s, on all 64 bits and on the low half', (op) => {
    for (const value of values)
      for (const width of [64, 32] as const) {
        if (width === 32 && value >= 1n << 32n) continue;
        const rules = [
          { names: ['ioctl'], action: 'errno' as const, args: [{ index: 1, op, value, width }] },
        ];
        const calls = values.map((got): [number, bigint[]] => [16, [7n, got, 7n, 7n, 7n, 7n]]);
        compare({ defaultAction: 'allow', rules }, [...calls, [15, none], [17, none]]);
      }
  });

  it('all of a rule must hold, and rules are gone through in order', () => {
    const args = (index: number, op: SeccompArgument['op'], value: number) => ({ index, op, value });
    const policy: SeccompPolicy = {
      defaultAction: 'trap',
      rules: [
        { names: ['socket'], action: 'errno', args: [args(0, 'ge', 2), args(0, 'lt', 5), args(5, 'ne', 9)] },
        { names: ['socket', 'read'], action: 'log', args: [args(0, 'eq', 1)] },
        { names: ['socket'], action: 'allow' },
        { names: ['socket'], action: 'kill-process' },
      ],
    };
    const families = [0n, 1n, 2n, 4n, 5n, 1n << 33n];
    const calls = families.flatMap((family) =>
      [9n, 8n].map((last): [number, bigint[]] => [41, [family, 0n, 0n, 0n, 0n, last]]),
    );
    compare(policy, [...calls, [0, [1n, ...none.slice(1)]], [0, none], [1, none]]);
  });

  it('many calls with many tests stay within jumps and bounds', () => {
    const tests = Array.from({ length: 12 }, (_, n) => ({ index: n % 6, op: 'ge' as const, value: n }));
    const names = [
      'read',
      'write',
      'open',
      'close',
      'stat',
      'fstat',
      'lstat',
      'poll',
      'lseek',
      'mmap',
      'futex',
    ];
    const policy: SeccompPolicy = {
      defaultAction: 'allow',
      rules: [1, 2].map(() => ({ names, action: 'errno', args: tests })),
    };
    compare(policy, [...everyNumber, ...names.map((_, n): [number, bigint[]] => [n, Array(6).fill(20n)])]);
  });

  it('what comes to more than the kernel takes is refused', () => {
    const tests = Array.from({ length: 12 }, () => ({ index: 0, op: 'ge' as const, value: 1n << 40n }));
    const rules = Array.from({ length: 100 }, () => ({
      names: ['read'],
      action: 'errno' as const,
      args: tests,
    }));
    expect(() => compilePolicy({ defaultAction: 'allow', rules }, 'x64')).toThrow(
      'at most 4096 instructions',
    );
  });
});

it('each architecture has its own numbers, and passes over names that it lacks', () => {
  const policy: SeccompPolicy = {
    defaultAction: 'allow',
    rules: [{ names: ['open', 'openat'], action: 'errno' }],
  };
  const arm = compilePolicy(policy, 'arm64');
  expect([run(arm, 56, none), run(arm, 2, none)]).toEqual([ANSWERS.errno, ANSWERS.allow]);
  expect(run(compilePolicy(policy, 'x64'), 257, none)).toBe(ANSWERS.errno);
});
