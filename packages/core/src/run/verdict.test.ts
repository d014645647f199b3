import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type ResolvedLimits, resolveLimits } from '../options/limits.js';
import type { Status } from '../types/limits.js';
import { decideVerdict, type ExitRecord, findRow, VERDICT_ROWS } from './verdict.js';

const MiB = 2 ** 20;
const MS = 1e6;

const limits: ResolvedLimits = resolveLimits(DEFAULT_LIMITS, {
  cpuTimeMs: 1000,
  wallTimeMs: 3000,
  memoryBytes: 64 * MiB,
});
const unlimited: ResolvedLimits = resolveLimits(limits, {
  cpuTimeMs: null,
  wallTimeMs: null,
  memoryBytes: null,
  fileBytes: null,
});

const quiet: ExitRecord = {
  waitStatus: 0,
  cause: 'none',
  cpuTimeNs: 10 * MS,
  wallTimeNs: 20 * MS,
  memoryPeakBytes: 5 * MiB,
  fileCacheBytes: 0,
  oomKillCount: 0,
  processPeakCount: 1,
};

/** Single pieces of evidence; `copyOutFailed` and `filterKills` travel along. */
type Evidence = Partial<ExitRecord> & { copyOutFailed?: boolean; filterKills?: boolean };
const exit = (code: number): Evidence => ({ waitStatus: code << 8 });
const signal = (number: number): Evidence => ({ waitStatus: number });
const cause = (name: ExitRecord['cause']): Evidence => ({ cause: name, waitStatus: 9 });
const oom: Evidence = { oomKillCount: 1, waitStatus: 9 };
const memoryOver: Evidence = { memoryPeakBytes: 64 * MiB + 1 };
const cpuOver: Evidence = { cpuTimeNs: 1000 * MS + 1 };
const wallOver: Evidence = { wallTimeNs: 3000 * MS + 1 };
const noFile: Evidence = { copyOutFailed: true };

function decide(evidence: Evidence, under: ResolvedLimits = limits) {
  const { copyOutFailed = false, ...record } = evidence;
  return decideVerdict({ record: { ...quiet, ...record }, limits: under, copyOutFailed, filterKills: false });
}

function rowOf(evidence: Evidence) {
  const { copyOutFailed = false, filterKills = false, ...record } = evidence;
  return findRow({ record: { ...quiet, ...record }, limits, copyOutFailed, filterKills }).id;
}

/** One piece of evidence per row, in the order of the table. */
const byRow: readonly (readonly [id: string, evidence: Evidence])[] = [
  ['killed', cause('killed')],
  ['output-limit/record', cause('output-limit')],
  ['memory-limit/record', oom],
  ['cpu-limit/record', cause('cpu-limit')],
  ['wall-limit/record', cause('wall-limit')],
  ['memory-limit/figure', memoryOver],
  ['cpu-limit/figure', cpuOver],
  ['cpu-limit/signal', signal(24)],
  ['wall-limit/figure', wallOver],
  ['forbidden-syscall/filter', { ...signal(31), filterKills: true }],
  ['forbidden-syscall/signal', signal(31)],
  ['output-limit/signal', signal(25)],
  ['signal', signal(11)],
  ['exit', exit(1)],
  ['file-error', noFile],
  ['ok', {}],
];

describe('the table', () => {
  it('has a test case for every row, in order', () => {
    expect(byRow.map(([id]) => id)).toEqual(VERDICT_ROWS.map((row) => row.id));
  });

  it('gives every status, and each row a sentence', () => {
    const statuses: Record<Status, true> = {
      ok: true,
      exit: true,
      signal: true,
      'cpu-limit': true,
      'wall-limit': true,
      'memory-limit': true,
      'output-limit': true,
      'forbidden-syscall': true,
      'file-error': true,
      killed: true,
    };
    expect(new Set(VERDICT_ROWS.map((row) => row.status))).toEqual(new Set(Object.keys(statuses)));
    for (const { why } of VERDICT_ROWS) expect(why).toMatch(/^[A-Z].*\.$/);
  });

  it.each(byRow)('row %s is chosen by its own evidence', (id, evidence) => {
    expect(rowOf(evidence)).toBe(id);
    if (!evidence.filterKills) expect(decide(evidence).evidence).toBe(id);
  });
});

describe('pairs of rows', () => {
  // Evidence of both at once; where both set the same field, the upper row's value stays, as it does in a
  // real record.
  const pairs = byRow.flatMap(([upper, first], index) =>
    byRow.slice(index + 1).map(([lower, second]) => [upper, lower, { ...second, ...first }] as const),
  );
  it.each(pairs)('%s beats %s', (upper, _lower, both) => {
    expect(rowOf(both)).toBe(upper);
  });
});

describe('several limits near', () => {
  it.each<[string, Evidence, Status]>([
    [
      'killed for wall time while CPU time ends just over',
      { ...cause('wall-limit'), ...cpuOver },
      'wall-limit',
    ],
    [
      'killed for CPU time while wall time ends just over',
      { ...cause('cpu-limit'), ...wallOver },
      'cpu-limit',
    ],
    [
      'killed for CPU time while memory peaks just over',
      { ...cause('cpu-limit'), ...memoryOver },
      'cpu-limit',
    ],
    ['CPU and wall time both over, nothing killed it', { ...cpuOver, ...wallOver }, 'cpu-limit'],
    [
      'an OOM kill, then hanging until the wall limit',
      { ...cause('wall-limit'), oomKillCount: 1 },
      'memory-limit',
    ],
    [
      'an OOM kill, then spinning until the CPU limit',
      { ...cause('cpu-limit'), oomKillCount: 2 },
      'memory-limit',
    ],
    ['an OOM kill of a child that the parent survived', { ...exit(0), oomKillCount: 1 }, 'memory-limit'],
    ['an OOM kill after the output limit', { ...cause('output-limit'), oomKillCount: 1 }, 'output-limit'],
    ['an OOM kill after kill()', { ...cause('killed'), oomKillCount: 1 }, 'killed'],
    ['kill() of a program over all its limits', { ...cause('killed'), ...cpuOver, ...memoryOver }, 'killed'],
    ['kill() that a program answered with exit 0', { cause: 'killed', ...exit(0) }, 'killed'],
    ['the supervisor’s own memory kill', cause('memory-limit'), 'memory-limit'],
    ['a crash just over the CPU limit', { ...signal(11), ...cpuOver }, 'cpu-limit'],
    ['a wrong exit just over the wall limit', { ...exit(3), ...wallOver }, 'wall-limit'],
    ['a wrong exit and a missing file', { ...exit(3), ...noFile }, 'exit'],
    ['a missing file and CPU time over', { ...noFile, ...cpuOver }, 'cpu-limit'],
    ['SIGKILL from inside, nothing near', signal(9), 'signal'],
    ['a core dump', signal(11 | 0x80), 'signal'],
  ])('%s', (_sentence, evidence, status) => {
    expect(decide(evidence).status).toBe(status);
  });
});

describe('exactly at a limit is within', () => {
  it.each<[string, Evidence]>([
    ['CPU time', { cpuTimeNs: 1000 * MS }],
    ['wall time', { wallTimeNs: 3000 * MS }],
    ['memory', { memoryPeakBytes: 64 * MiB }],
  ])('%s', (_name, evidence) => {
    expect(decide(evidence).status).toBe('ok');
  });
});

describe('without limits', () => {
  it.each<[string, Evidence, Status]>([
    ['no figure is over', { ...cpuOver, ...wallOver, ...memoryOver }, 'ok'],
    ['SIGXCPU is the program’s own', signal(24), 'signal'],
    ['SIGXFSZ is the program’s own', signal(25), 'signal'],
    ['an OOM kill still is about memory: the machine’s', oom, 'memory-limit'],
    ['SIGSYS still is the filter', signal(31), 'forbidden-syscall'],
  ])('%s', (_sentence, evidence, status) => {
    expect(decide(evidence, unlimited).status).toBe(status);
  });
});

describe('peak memory and file cache', () => {
  it('an excess that is only file cache is no verdict, and the limit is told', () => {
    const verdict = decide({ memoryPeakBytes: 80 * MiB, fileCacheBytes: 20 * MiB });
    expect(verdict).toMatchObject({ status: 'ok', memoryPeakBytes: 64 * MiB });
  });

  it('an excess without the file cache is one, and the peak is told as it was', () => {
    const verdict = decide({ memoryPeakBytes: 80 * MiB, fileCacheBytes: 10 * MiB });
    expect(verdict).toMatchObject({ status: 'memory-limit', memoryPeakBytes: 80 * MiB });
  });

  it('below the limit the cache stays in the figure', () => {
    expect(decide({ memoryPeakBytes: 60 * MiB, fileCacheBytes: 50 * MiB }).memoryPeakBytes).toBe(60 * MiB);
  });

  it('without a measurement there is no verdict and no figure', () => {
    expect(decide({ memoryPeakBytes: null, fileCacheBytes: 10 })).toMatchObject({
      status: 'ok',
      memoryPeakBytes: null,
    });
  });

  it('what is not known of the cache is nothing', () => {
    const status = (memoryPeakBytes: number) => decide({ memoryPeakBytes, fileCacheBytes: null }).status;
    expect([status(64 * MiB), status(64 * MiB + 1)]).toEqual(['ok', 'memory-limit']);
  });

  it('without a limit the peak is told as it was', () => {
    expect(decide({ memoryPeakBytes: 80 * MiB, fileCacheBytes: 70 * MiB }, unlimited).memoryPeakBytes).toBe(
      80 * MiB,
    );
  });
});

describe('exit code and signal', () => {
  it.each<[number, number | null, string | null]>([
    [0, 0, null],
    [0x0100, 1, null],
    [0xff00, 255, null],
    [1, null, 'SIGHUP'],
    [9, null, 'SIGKILL'],
    [11 | 0x80, null, 'SIGSEGV'],
    [34, null, 'SIGRTMIN'],
    [64, null, 'SIGRTMIN+30'],
  ])('wait status %i', (waitStatus, exitCode, exitSignal) => {
    expect(decide({ waitStatus })).toMatchObject({ exitCode, exitSignal });
  });
});
