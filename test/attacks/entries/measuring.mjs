// Group D: figures made smaller than they are.
import { MiB } from '../harness/conditions.mjs';
import {
  all,
  cpuBetween,
  memoryFrom,
  memoryWithin,
  timeSpent,
  wallBetween,
  withinLimits,
} from '../harness/expectations.mjs';
import { besideLargeHost, coldFiles, compileHeavily } from '../scenarios/measuring.mjs';

const SPENT = { quiet: true, verdicts: ['TLE'], says: timeSpent };

export const MEASURING = [
  {
    id: 88,
    name: 'leave a daemon behind that burns CPU, and end well',
    expected: 'AC; the daemon is dead at the reply, its time until then counted',
    cases: [{ c: 'hide-work', args: ['left'], says: cpuBetween(95, 1000) }],
  },
  {
    id: 89,
    name: 'sleep while four daemons burn',
    expected: 'TLE, time about the limit',
    cases: [{ c: 'hide-work', args: ['daemons'], ...SPENT }],
  },
  {
    id: 90,
    name: 'burn in children that nobody waits for',
    expected: 'TLE',
    slow: true,
    cases: [{ c: 'hide-work', args: ['ignored'], ...SPENT }],
  },
  {
    id: 91,
    name: 'burn in 1,000 children of 3 ms each',
    expected: 'TLE, never AC',
    slow: true,
    cases: [{ c: 'hide-work', args: ['parts'], quiet: true, verdicts: ['TLE'], says: withinLimits }],
  },
  {
    id: 92,
    name: 'burn in the kernel only',
    expected: 'TLE',
    slow: true,
    cases: [
      { c: 'system-time', args: ['calls'], ...SPENT },
      { c: 'system-time', args: ['pipe'], quiet: true, verdicts: ['TLE'], says: withinLimits },
      { sh: 'exec dd if=/dev/zero of=/dev/null bs=64k', ...SPENT },
    ],
  },
  {
    id: 93,
    name: 'four children, each below the limit of a process',
    expected: 'TLE',
    slow: true,
    cases: [{ t: 'burn-children', args: ['parallel', 4, 900], ...SPENT }],
  },
  {
    id: 94,
    name: 'be deaf to the signals of limits',
    expected: 'TLE, SIGKILL',
    cases: [
      {
        t: 'deaf',
        args: ['spin'],
        ...SPENT,
        says: (one) => (one.signal === 'SIGKILL' ? withinLimits(one) : [`ended by ${one.signal}`]),
      },
    ],
  },
  {
    id: 95,
    name: 'stop itself, or have a child stop it, to look as if it had ended',
    expected: 'TLE at the clock limit, never AC',
    cases: [
      ['stop-parent', []],
      ['stop-parent', ['continue']],
    ]
      .map(([c, args]) => ({ c, args }))
      .concat([{ sh: 'kill -STOP $$' }])
      .map((one) => ({
        ...one,
        quiet: true,
        verdicts: ['TLE'],
        limits: { wallMs: 800 },
        says: wallBetween(790, 900),
      })),
  },
  {
    id: 96,
    name: 'sleep almost as long as the clock allows, and a little longer',
    expected: 'AC with a time of about 0; TLE',
    slow: true,
    cases: [
      { t: 'sleep-ms', args: [2900], quiet: true, says: all(cpuBetween(0, 30), wallBetween(2900, 3000)) },
      {
        t: 'sleep-ms',
        args: [3200],
        quiet: true,
        verdicts: ['TLE'],
        says: all(cpuBetween(0, 30), withinLimits),
      },
    ],
  },
  {
    id: 97,
    name: 'a peak of a millisecond',
    expected: 'counted',
    cases: [{ c: 'short-peak', args: ['here'], says: memoryFrom(60) }],
  },
  {
    id: 98,
    name: 'a peak in a child, a grandchild, before and after exec',
    expected: 'counted',
    cases: ['child', 'grandchild', 'before-exec', 'after-exec'].map((where) => ({
      c: 'short-peak',
      args: [where],
      says: memoryFrom(60),
    })),
  },
  {
    id: 99,
    name: 'memory in /dev/shm and a memfd instead of its own',
    expected: 'counted',
    cases: [{ c: 'short-peak', args: ['left'], says: memoryFrom(56) }],
  },
  {
    id: 100,
    name: 'be blamed for the memory of a large server',
    expected: 'AC, below 5 MiB',
    attack: besideLargeHost,
  },
  {
    id: 101,
    name: 'hide output by cutting, overwriting or opening it again',
    expected: 'what is in the end within the limit is fine; disk use bounded',
    cases: [
      {
        py: `
          for n in range(300):
            try: os.ftruncate(1, 0); os.lseek(1, 0, 0)
            except OSError: pass
            try:
              f = open('/proc/self/fd/1', 'r+b', buffering=0); f.write(b'x' * 4096); f.truncate(0); f.close()
            except OSError: pass
            os.write(1, b'y' * 4096)`,
        quiet: true,
        verdicts: ['OLE', 'AC', 'NZ', 'TLE'],
        says: (one) => (one.stdoutBytes <= 65_537 ? [] : [`${one.stdoutBytes} bytes`]),
      },
      {
        sh: 'exec 2>&-; yes | head -c 60000; : > /dev/stdout; echo done',
        quiet: true,
        verdicts: ['AC', 'NZ'],
      },
    ],
  },
  {
    id: 102,
    name: 'work before main, after it and in a handler at the end',
    expected: 'counted',
    cases: ['constructor', 'atexit', 'handler'].map((where) => ({
      c: 'hide-work',
      args: [where],
      verdicts: ['AC', 'NZ'],
      quiet: true,
      says: cpuBetween(295, 1000),
    })),
  },
  {
    id: 103,
    name: 'move work to the compile step',
    expected: 'compile limits and copyOutMax apply',
    slow: true,
    attack: compileHeavily,
  },
  {
    id: 104,
    name: 'notice the sandbox and behave',
    expected: 'no effect on the verdict',
    slow: true,
    cases: [
      {
        py: `
          sandboxed = os.getpid() < 10 or (os.cpu_count() or 1) < 2 or not os.path.exists('/sys') or os.getuid() == 1000
          while not sandboxed: pass
          while sandboxed: pass`,
        ...SPENT,
      },
    ],
  },
  {
    id: 159,
    name: 'read 200 MB of cold files, or write 200 MB to a disk, with little memory of its own',
    expected: 'AC; memory at most the limit',
    slow: true,
    attack: coldFiles([
      { c: 'page-cache-fill', args: ['read', '/data/large'], says: memoryWithin(64) },
      {
        c: 'page-cache-fill',
        args: ['write', '/disk/large', 200],
        says: memoryWithin(64),
        limits: { fileBytes: 1024 * MiB, cpuMs: 10_000, wallMs: 30_000 },
      },
    ]),
  },
];
