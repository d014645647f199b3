// What a worker makes of each delivery: which jobs it begins, what it says of them, which leases it ends.
import { describe, expect, test } from 'vitest';
import type { Delivery, QueuedJob, WorkerLink } from '../links.js';
import { SimClock } from '../testing/sim-clock.js';
import type { Cancel } from '../wire/notice.js';
import { decodeRecord, encodeRecord } from '../wire/record.js';
import type { StopJob } from './stop-job.js';
import { WorkerFault } from './worker-fault.js';
import { WorkerSlots } from './worker-slots.js';

const EXTEND_MS = 1000;
const OUTCOME = Buffer.from('outcome');
const LATER = 60_000;

interface Settings extends Partial<WorkerLink> {
  slots?: number;
  /** How long each program runs. */
  runMs?: number;
  /** What a defect of this library throws. */
  failures?: Error[];
}

/** A worker, the records that its broker has, and all that it says. */
function open({ slots = 1, runMs = 0, failures = [], ...link }: Settings = {}) {
  const clock = new SimClock();
  const records = new Map<string, Uint8Array>();
  const [said, reasons]: [string[], StopJob[]] = [[], []];
  const pulls: ((delivery: Delivery | null) => void)[] = [];
  let cancel: (tenant: string, cancel: Cancel) => void = () => undefined;
  const whole: WorkerLink = {
    next: () => new Promise((resolve) => pulls.push(resolve)),
    notify: (_job, notice) => void said.push(notice.kind),
    onCancel: (take) => {
      cancel = take;
    },
    isHeard: async () => true,
    readRecord: async (key) => records.get(key) ?? null,
    createRecord: async (key, record) => !records.has(key) && records.set(key, record) === records,
    ...link,
  };
  const worker = new WorkerSlots(whole, clock, {
    ...{ name: 'w', slots, extendMs: EXTEND_MS },
    execute: (_delivery, signal) => {
      said.push(signal.aborted ? 'begun as ended' : 'begun');
      const failure = failures.shift();
      if (failure !== undefined) return Promise.reject(failure);
      return new Promise((resolve) => {
        const end = () => resolve(OUTCOME);
        const stop = clock.after(runMs, end);
        const onAbort = () => {
          stop();
          reasons.push(signal.reason);
          end();
        };
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  });
  const give = (own: Partial<Delivery> = {}, ownJob: Partial<QueuedJob> = {}) => {
    const job: QueuedJob = {
      ...{ id: 'a', tenant: 't', maxAttempts: 2, submitter: 's', orphanGraceMs: 0, trace: null },
      ...{ bodyHash: 'h', body: OUTCOME, ...ownJob },
    };
    const [extend, done] = [() => void said.push('extended'), () => void said.push('done')];
    const handBack = (ms: number) => void said.push(`handed back for ${ms}`);
    pulls.shift()!({ job, attempt: 1, queuedMs: 0, extend, done, handBack, ...own });
  };
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
    return clock.run(now);
  };
  const record = () => {
    const { kind, attempt, outcome } = decodeRecord(records.get('t.a')!);
    return `${kind} ${attempt} ${Buffer.from(outcome)}`;
  };
  return {
    worker,
    records,
    record,
    said,
    reasons,
    pulls,
    give,
    pass,
    cancel: (by: Cancel) => cancel('t', by),
  };
}

const OTHER = encodeRecord({ kind: 'done', attempt: 1, worker: 'v', bodyHash: 'h', outcome: OUTCOME });

describe('a job that was handed out before', () => {
  test('and has its record is not begun: its submitter is told, and nobody gets it again', async () => {
    const { worker, records, said, give, pass } = open();
    records.set('t.a', OTHER);
    give({ attempt: 2, queuedMs: null });
    await pass(0);
    expect(said).toEqual(['ended', 'done']);
    expect([worker.totals.started, worker.figures.redelivered]).toEqual([0, 1]);
  });

  test('and has no record is begun, and told at once', async () => {
    const { said, record, give, pass } = open({ runMs: 1 });
    give({ attempt: 2, queuedMs: null });
    await pass(0);
    expect(said).toEqual(['begun', 'leased']);
    await pass(1);
    expect([record(), said.at(-1)]).toEqual(['done 2 outcome', 'done']);
  });

  test('too often is not begun: its record says that it is lost', async () => {
    const { worker, said, record, give, pass } = open();
    give({ attempt: 3, queuedMs: null });
    await pass(0);
    expect([said, record()]).toEqual([['done'], 'lost 2 ']);
    expect(worker.totals).toMatchObject({ started: 0, lost: 1 });
  });

  test('to this worker, which still runs it, is kept until that has ended', async () => {
    const { worker, said, record, give, pass } = open({ slots: 2, runMs: 2500 });
    await pass(0);
    give();
    await pass(50);
    give({ attempt: 2, queuedMs: null, extend: () => void said.push('second extended') });
    await pass(10);
    expect(said).toEqual(['begun', 'leased', 'second extended']);
    await pass(5000);
    expect([record(), worker.totals.started]).toEqual(['done 1 outcome', 1]);
    expect(said.filter((what) => what === 'second extended')).toHaveLength(3);
    expect(said.slice(-2)).toEqual(['ended', 'done']);
    expect(said.filter((what) => what === 'done')).toHaveLength(2);
  });

  test('and was cancelled before it came is looked for first', async () => {
    const { records, said, give, pass, cancel } = open();
    records.set('t.a', OTHER);
    cancel({ id: 'a', mode: 'drop' });
    give();
    await pass(0);
    expect(said).toEqual(['ended', 'done']);
  });
});

describe('while a job runs', () => {
  test('it is told as leased after a moment, and its lease is extended until it ends', async () => {
    const { worker, said, give, pass } = open({ runMs: 2500 });
    give();
    await pass(5);
    expect(said).toEqual(['begun']);
    await pass(LATER);
    expect(said).toEqual(['begun', 'leased', 'extended', 'extended', 'done']);
    expect([worker.figures.extensions, worker.totals]).toMatchObject([2, { started: 1, accepted: 1 }]);
  });

  test('a short one is told by its record alone', async () => {
    const { worker, said, give, pass } = open({ runMs: 5 });
    give({ queuedMs: 3000 });
    await pass(LATER);
    expect(said).toEqual(['begun', 'done']);
    const { queued, runs, redelivered } = worker.figures;
    expect([queued.read().count, queued.read().sum, redelivered]).toEqual([1, 3, 0]);
    expect([runs.read().count, runs.read().sum]).toEqual([1, 0.005]);
  });

  test('a record of another worker ends it, and nobody gets it again', async () => {
    const { worker, records, said, reasons, give, pass } = open({ runMs: LATER });
    give();
    await pass(500);
    records.set('t.a', OTHER);
    await pass(1000);
    expect(reasons.map(({ mode }) => mode)).toEqual(['drop']);
    expect([said.at(-1), records.get('t.a')]).toEqual(['done', OTHER]);
    expect([worker.running, worker.totals]).toMatchObject([0, { accepted: 0, superseded: 0, cancelled: 1 }]);
  });

  test.each(['drop', 'result'] as const)('a cancel (%s) ends it', async (mode) => {
    const { worker, records, record, said, reasons, give, pass, cancel } = open({ runMs: LATER });
    give();
    await pass(1);
    cancel({ id: 'other', mode });
    cancel({ id: 'a', mode });
    await pass(1);
    expect(reasons.map((reason) => reason.mode)).toEqual([mode]);
    const end = mode === 'drop' ? [0, ['begun']] : [1, ['begun', 'done']]; // without a record others get it
    expect([records.size, said]).toEqual(end);
    if (mode === 'result') expect(record()).toBe('done 1 outcome');
    expect(worker.totals.cancelled).toBe(mode === 'drop' ? 1 : 0);
    give({}, { id: 'b' });
    await pass(1);
    expect([said.at(-1), reasons.length]).toEqual(['begun', 1]);
  });

  test('without its submitter it is given up after the grace, and not when it has none', async () => {
    const isHeard = async () => false;
    const { worker, record, reasons, give, pass } = open({ runMs: LATER, isHeard });
    give({}, { orphanGraceMs: 3000 });
    await pass(LATER);
    expect([record(), reasons.length, worker.totals.cancelled]).toEqual(['cancelled 1 ', 1, 1]);
    const other = open({ runMs: LATER, isHeard });
    other.give();
    await other.pass(LATER);
    expect([other.record(), other.reasons]).toEqual(['done 1 outcome', []]);
  });
});

describe('a job that this worker cannot carry out', () => {
  const fault = () => new WorkerFault(Buffer.from('why'), new Error('disk full'));

  test('is for another attempt, and its place is free', async () => {
    const { worker, records, said, give, pass } = open({ failures: [fault()] });
    give();
    await pass(0);
    expect([said, records.size, worker.running]).toEqual([['begun', 'handed back for 250'], 0, 0]);
    expect([worker.figures.handedBack, worker.totals]).toMatchObject([1, { started: 1, accepted: 0 }]);
    give({ attempt: 2, queuedMs: null });
    await pass(1);
    expect(said.slice(2)).toEqual(['begun', 'leased', 'done']);
  });

  test('ends with its error where no attempt is left', async () => {
    const { said, record, give, pass } = open({ failures: [fault()] });
    give({ attempt: 2, queuedMs: null });
    await pass(1);
    expect([said, record()]).toEqual([['begun', 'done'], 'done 2 why']);
  });
});

describe('the record', () => {
  test.each([
    ['this worker’s own, whose answer was lost', true, { accepted: 1, superseded: 0 }],
    ['of another', false, { accepted: 0, superseded: 1 }],
  ])('that is there already: %s', async (_whose, isOwn, totals) => {
    const stored = new Map<string, Uint8Array>();
    const { worker, said, give, pass } = open({
      createRecord: async (key, bytes) => {
        if (stored.has(key)) return false;
        stored.set(key, isOwn ? bytes : OTHER);
        throw new Error('no answer');
      },
      readRecord: async (key) => stored.get(key) ?? null,
    });
    give();
    await pass(LATER);
    expect(worker.totals).toMatchObject(totals);
    expect(said).toEqual(['begun', 'ended', 'done']);
  });
});

describe('a place', () => {
  test('is free again after a broker that was away, which is not asked without a pause', async () => {
    let asked = 0;
    const isAway = () => asked <= 5;
    const pulls: ((delivery: Delivery) => void)[] = [];
    const { pass } = open({
      next: () => {
        asked += 1;
        if (isAway()) return Promise.reject(new Error('away'));
        return new Promise((resolve) => pulls.push(resolve));
      },
    });
    await pass(50);
    expect(asked).toBe(1);
    await pass(LATER);
    expect([asked, pulls.length]).toEqual([6, 1]);
  });

  test('is free again after what this library did wrong, and the lease ends by itself', async () => {
    const { worker, said, give, pass } = open({ failures: [new Error('defect')] });
    give();
    await pass(LATER);
    expect([said, worker.running]).toEqual([['begun'], 0]);
    give({ attempt: 2, queuedMs: null });
    await pass(1);
    expect([said, worker.totals.accepted]).toEqual([['begun', 'begun', 'leased', 'done'], 1]);
  });

  test('begins nothing once the worker is stopped', async () => {
    const { worker, said, give, pass } = open();
    await pass(0);
    worker.stop();
    give();
    await pass(LATER);
    await worker.drain();
    expect(said).toEqual([]);
  });

  test('is waited for by a drain, which takes nothing new', async () => {
    const { worker, said, pulls, give, pass } = open({ runMs: 500 });
    give();
    await pass(1);
    let isDrained = false;
    const drained = worker.drain().then(() => {
      isDrained = true;
    });
    await pass(100);
    expect(isDrained).toBe(false);
    await pass(LATER);
    await drained;
    expect([said, pulls.length]).toEqual([['begun', 'leased', 'done'], 0]);
  });
});
