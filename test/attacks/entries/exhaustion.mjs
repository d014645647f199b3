// Group C: more than its share, processes, memory and disk. The rest of the group is in
// exhaustion-output.mjs.
import { MiB } from '../harness/conditions.mjs';
import { atMost, memoryWithin, procsWithin, withinLimits } from '../harness/expectations.mjs';
import { budgetsOfUsers, hostDiskUnchanged, openFilesOfHost } from '../scenarios/exhaustion.mjs';

const STORM = { quiet: true, verdicts: ['TLE'], says: procsWithin(32) };
const HELD = { quiet: true, verdicts: ['MLE', 'NZ'], says: memoryWithin(65) };
const hold = (kind, mebibytes, more = {}) => ({
  t: 'hold-memory',
  args: [kind, mebibytes * MiB],
  ...HELD,
  ...more,
});

/**
 * The kernel keeps the stacks of refused forks for a while, and charges them: with little memory that limit
 * can come first.
 */
const forkBombs = (how, wanted) => [
  { t: 'fork-bomb', args: [how], ...wanted, limits: { memoryBytes: 1024 * MiB } },
  {
    title: `${how}, in 64 MiB`,
    t: 'fork-bomb',
    args: [how],
    ...wanted,
    verdicts: [...wanted.verdicts, 'MLE'],
  },
];

export const EXHAUSTION = [
  {
    id: 51,
    name: 'fork for ever',
    expected: 'TLE within 3 s, at most 32 processes',
    slow: true,
    cases: forkBombs('plain', STORM),
  },
  {
    id: 52,
    name: 'fork for ever behind a parent that has gone',
    expected: 'AC or NZ at once, everything dead',
    cases: [
      { sh: 'b() { b | b & }; b', quiet: true, verdicts: ['AC', 'NZ'] },
      ...forkBombs('gone', { quiet: true, verdicts: ['AC'] }),
    ],
  },
  {
    id: 53,
    name: 'spin in as many threads as there can be',
    expected: 'TLE, at most 32 tasks',
    slow: true,
    cases: [{ t: 'thread-bomb', ...STORM }],
  },
  {
    id: 54,
    name: 'a tree of deaf, re-parented processes in sessions of their own',
    expected: 'TLE, nothing left',
    slow: true,
    cases: [...forkBombs('deaf', STORM), { c: 'sleeping-forks', ...STORM }],
  },
  {
    id: 55,
    name: 'parents stuck in vfork',
    expected: 'TLE at the clock limit, all dead 100 ms later',
    slow: true,
    cases: [{ t: 'vfork-chain', args: [20], ...STORM, limits: { wallMs: 1000 } }],
  },
  {
    id: 56,
    name: '1 GiB of memory, a MiB at a time',
    expected: 'MLE, SIGKILL, at most the limit and 1 MiB',
    cases: [hold('malloc', 1024, { verdicts: ['MLE'] }), hold('private', 1024, { verdicts: ['MLE'] })],
  },
  {
    id: 57,
    name: '800 MiB of static data touched; 4 GiB with one page touched',
    expected: 'MLE; AC with little memory',
    cases: [
      { c: 'huge-bss', quiet: true, verdicts: ['MLE'], says: memoryWithin(65) },
      { t: 'big-bss', quiet: true, says: memoryWithin(5) },
    ],
  },
  {
    id: 58,
    name: '100 MiB in shared memory, a memfd, /dev/shm, /w and /tmp',
    expected: 'MLE, or ENOSPC and counted',
    cases: ['shared', 'memfd', 'devshm', 'work', 'tmp'].map((kind) => hold(kind, 100)),
  },
  {
    id: 59,
    name: '100 MiB of System V shared memory, marked for removal',
    expected: 'MLE',
    cases: [hold('sysv', 100, { verdicts: ['MLE'] })],
  },
  {
    id: 60,
    name: '100 MiB in enlarged pipes',
    expected: 'MLE, or refused',
    cases: [hold('pipes', 100, { limits: { openFiles: 1024 } })],
  },
  {
    id: 61,
    name: '100 MiB in unix sockets’ buffers',
    expected: 'MLE',
    cases: [hold('sockets', 100, { limits: { openFiles: 4096 } })],
  },
  {
    id: 62,
    name: 'page tables of 1 TiB, a byte each 2 MiB',
    expected: 'MLE',
    cases: [{ t: 'sparse-touch', args: [524_288], quiet: true, verdicts: ['MLE'], says: memoryWithin(65) }],
  },
  {
    id: 63,
    name: 'small kernel objects without end',
    expected: 'EMFILE, EAGAIN; MLE allowed',
    cases: ['eventfds', 'epolls', 'timerfds', 'watches', 'timers', 'signals'].map((kind) => ({
      c: 'kernel-objects',
      args: [kind],
      limits: { openFiles: 4096 },
      verdicts: ['AC', 'MLE', 'TLE'],
      says: memoryWithin(65),
    })),
  },
  {
    id: 64,
    name: '8 processes, each just below the limit',
    expected: 'MLE',
    cases: [hold('eight', 8 * 60, { verdicts: ['MLE'] })],
  },
  {
    id: 65,
    name: 'a child that dies for memory, a parent that exits 0',
    expected: 'MLE',
    cases: [hold('shrug', 100, { verdicts: ['MLE'] })],
  },
  {
    id: 66,
    name: 'ten times the limit, for swap to take',
    expected: 'MLE',
    cases: [hold('private', 640, { verdicts: ['MLE'] }), hold('shared', 640, { verdicts: ['MLE'] })],
  },
  {
    id: 67,
    name: 'every descriptor there is',
    expected: 'EMFILE; the host can still open',
    attack: openFilesOfHost,
  },
  {
    id: 68,
    name: 'use up what the kernel counts per user, beside another run',
    expected: 'the other run is AC',
    attack: budgetsOfUsers,
  },
  {
    id: 69,
    name: 'files until there are no more inodes',
    expected: 'ENOSPC; AC',
    cases: [{ c: 'fill-disk', args: ['inodes'], says: atMost(/(\d+): ENOSPC/, 4096) }],
  },
  {
    id: 70,
    name: 'fill the disk: 100 GiB at once, block by block, line by line',
    expected: 'ENOSPC, SIGXFSZ or OLE; the host’s free space unchanged',
    slow: true,
    attack: hostDiskUnchanged([
      { c: 'fill-disk', args: ['fallocate'] },
      { c: 'fill-disk', args: ['write'], verdicts: ['AC', 'OLE', 'MLE', 'SIG'] },
      { c: 'fill-disk', args: ['lines'], verdicts: ['AC', 'OLE', 'TLE', 'MLE'] },
    ]),
  },
  {
    id: 71,
    name: 'a sparse file of 1 TiB, to be copied out',
    expected: 'FE for its size, at once',
    cases: [
      {
        sh: 'truncate -s 30M f; truncate -s 1T f; ls -l f; echo done',
        copyOut: ['f'],
        verdicts: ['FE', 'OLE', 'NZ', 'AC'],
        says: (one) => {
          const ended = one.verdict === 'AC' ? ['a file came out'] : [];
          return one.replyMs - one.wallMs > 300 ? [...ended, `${one.replyMs} ms`] : ended;
        },
      },
      {
        title: 'below the file limit',
        sh: 'truncate -s 60M f && echo done',
        copyOut: ['f'],
        verdicts: ['FE'],
        says: withinLimits,
      },
    ],
  },
  {
    id: 72,
    name: 'folders 30,000 deep, and 400 levels of long names',
    expected: 'AC, or its CPU limit; cleaned within 500 ms',
    // Landlock looks at every folder above one: the last of so many costs thousands of looks, and the program
    // its CPU time.
    cases: [
      { c: 'deep-folders', args: ['narrow'], verdicts: ['AC', 'TLE'] },
      {
        c: 'deep-folders',
        args: ['narrow'],
        verdicts: ['AC', 'TLE'],
        limits: { diskFiles: 40_000, memoryBytes: 256 * MiB },
        on: 'core',
      },
      { c: 'deep-folders', args: ['wide'] },
    ],
  },
  {
    id: 73,
    name: '4,000 files, some with names that break shells',
    expected: 'cleaned',
    cases: [{ c: 'deep-folders', args: ['names'] }],
  },
];
