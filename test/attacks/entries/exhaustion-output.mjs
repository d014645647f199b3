// Group C, second half: output, time, stacks, compilers, blocking.
import { MiB } from '../harness/conditions.mjs';
import { all, cpuBetween, outputBounded, wallBetween, withinLimits } from '../harness/expectations.mjs';
import {
  archiveBombs,
  compileBombs,
  crashLargely,
  hugeArguments,
  languageBombs,
} from '../scenarios/bombs.mjs';

const FLOOD = { quiet: true, verdicts: ['OLE', 'TLE', 'NZ', 'MLE'], says: all(outputBounded, withinLimits) };
const STUCK = {
  quiet: true,
  verdicts: ['TLE'],
  says: all(cpuBetween(0, 100), withinLimits),
  limits: { wallMs: 800 },
};
const BUSY = { quiet: true, verdicts: ['TLE'], says: withinLimits };

export const EXHAUSTION_OUTPUT = [
  {
    id: 74,
    name: 'output without end, on stdout, stderr and both',
    expected: 'OLE, TLE or NZ; never more than the limit and a byte',
    slow: true,
    cases: [
      { t: 'flood', args: [1, 0], ...FLOOD },
      { t: 'flood', args: [2, 0], ...FLOOD },
      { t: 'flood-many', args: [1], ...FLOOD },
      { py: 'while True: print("x" * 4096)', ...FLOOD },
      {
        t: 'flood',
        args: [1, 0],
        collect: 'file',
        ...FLOOD,
        verdicts: ['OLE', 'TLE', 'NZ', 'MLE', 'SIG', 'AC'],
      },
    ],
  },
  {
    id: 75,
    name: 'output without end by 16 processes, by cat, deaf to SIGPIPE',
    expected: 'as 74',
    cases: [
      { t: 'flood-many', args: [16], ...FLOOD },
      { sh: 'cat /dev/zero', ...FLOOD },
      { sh: "trap '' PIPE; cat /dev/zero & cat /dev/zero >&2 & wait", ...FLOOD },
    ],
  },
  {
    id: 76,
    name: 'fill stdout to exactly the size of a pipe, then sleep',
    expected: 'TLE at the clock limit',
    cases: [{ py: 'os.write(1, b"x" * 65536); time.sleep(60)', ...STUCK }],
  },
  {
    id: 77,
    name: 'write 1 GiB to a file, deaf to SIGXFSZ',
    expected: 'OLE, EFBIG or ENOSPC',
    cases: [
      {
        c: 'fill-disk',
        args: ['write'],
        says: (one) => (/: (EFBIG|ENOSPC)/.test(one.stdout) ? [] : [one.stdout]),
      },
      {
        c: 'fill-disk',
        args: ['signal'],
        limits: { fileBytes: 8 * MiB },
        on: 'core',
        quiet: true,
        verdicts: ['OLE'],
      },
    ],
  },
  {
    id: 78,
    name: 'a stack without end',
    expected: 'SIGSEGV or MLE',
    cases: [
      { c: 'recurse', quiet: true, verdicts: ['SIG', 'MLE'] },
      { c: 'recurse', args: ['alloca'], quiet: true, verdicts: ['SIG', 'MLE'] },
      { c: 'recurse', limits: { stackBytes: 8 * MiB }, quiet: true, verdicts: ['SIG'] },
      { c: 'recurse', limits: { stackBytes: 2 ** 40 }, quiet: true, verdicts: ['SIG', 'MLE'] },
    ],
  },
  {
    id: 79,
    name: 'arguments and environment without end, by program and by client',
    expected: 'E2BIG; refused with a reason',
    attack: hugeArguments,
  },
  {
    id: 80,
    name: 'raise limits and priority, lock memory, for itself and for init',
    expected: 'EPERM',
    cases: [{ c: 'raise-everything' }],
  },
  {
    id: 81,
    name: 'never end: spin, spin in 64 threads, pause, sleep, wait for input',
    expected: 'TLE; times at their limits',
    slow: true,
    cases: [
      { t: 'burn-cpu', args: [60_000], ...BUSY },
      { t: 'burn-cpu', args: [60_000, 30], ...BUSY },
      { t: 'thread-bomb', ...BUSY },
      { c: 'block-forever', args: ['pause'], ...STUCK },
      { sh: 'exec sleep 1000', ...STUCK },
      { c: 'block-forever', args: ['select'], ...STUCK, verdicts: ['TLE'] },
    ],
  },
  {
    id: 82,
    name: 'have a compiler read devices without end',
    expected: 'TLE or compile error',
    slow: true,
    cases: ['/dev/random', '/dev/zero', '/dev/stdin', '/dev/tty', '/dev/fd/0'].map((path) => ({
      title: path,
      sh: 'gcc -c a.c -o a.o',
      files: { 'a.c': `#include <${path}>\nint main(){}\n` },
      stdin: 'int x;\n',
      quiet: true,
      verdicts: ['NZ', 'TLE', 'MLE', 'OLE', ...(path === '/dev/stdin' || path === '/dev/fd/0' ? ['AC'] : [])],
      says: withinLimits,
    })),
  },
  {
    id: 83,
    name: 'compile bombs in C and C++',
    expected: 'TLE, MLE, NZ or ENOSPC; disk and memory of the host unchanged',
    slow: true,
    attack: compileBombs,
  },
  {
    id: 84,
    name: 'compile bombs in other languages',
    expected: 'as 83',
    slow: true,
    attack: languageBombs,
  },
  {
    id: 85,
    name: 'archive bombs as input',
    expected: 'unpacked inside, within the same limits',
    slow: true,
    attack: archiveBombs,
  },
  {
    id: 86,
    name: 'crash with a large image, for somebody to write down',
    expected: 'SIGSEGV; no core anywhere, no handler run',
    attack: crashLargely,
  },
  {
    id: 87,
    name: 'sit in the kernel where nothing wakes it',
    expected: 'TLE, nothing left',
    cases: ['fifo', 'flock', 'vfork', 'stopped'].map((kind) => ({
      c: 'block-forever',
      args: [kind],
      ...STUCK,
      says: all(cpuBetween(0, 100), wallBetween(790, 900)),
    })),
  },
];
