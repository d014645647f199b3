import { expect, test } from 'vitest';
import { type FleetOptions, type FleetReport, simulateFleet } from './fleet.js';

/** `SBX_FLEET=1000`: prints the figures of docs/cluster.md for so many workers. */
const WORKERS = Number(process.env.SBX_FLEET ?? 0);
const SMALL = {
  seed: 1,
  workers: 20,
  slots: 2,
  submitters: 3,
  jobsPerSecond: 10,
  seconds: 40,
  burst: 0,
  burstAt: 1,
};

/** Messages for one job, without what goes on without jobs. */
function perJob({ loaded, idle, jobs }: FleetReport, kind: string, seconds: number): number {
  const rateOf = (of: FleetReport['idle']) => (of.get(kind)?.in ?? 0) + (of.get(kind)?.out ?? 0);
  return ((rateOf(loaded) - rateOf(idle)) * seconds) / jobs;
}

test('a short job is seven messages and a pull; a worker that waits is announcements and pulls', async () => {
  const options = { ...SMALL, runMs: 5 };
  const report = await simulateFleet(options);
  const of = (kind: string) => perJob(report, kind, options.seconds);
  expect(of('job')).toBeCloseTo(2, 1);
  expect(of('delivery')).toBeCloseTo(1, 1);
  expect(of('record')).toBeCloseTo(3, 1);
  expect(of('acknowledgement, with the next pull')).toBeCloseTo(1, 1);
  expect(of('notice')).toBe(0); // it is over before that would be told
  expect(of('announcement')).toBeCloseTo(0, 1);
  expect(of('record looked for by its submitter')).toBe(0);
  expect(report.idle.get('announcement')).toEqual({ in: 20 / 5, out: (20 / 5) * (1 + 3) });
  expect(report.waits.otherSubmitters.p99Ms).toBeLessThan(5);
});

test('a job that runs asks for its record and its submitter as often as it extends its lease', async () => {
  const options = { ...SMALL, jobsPerSecond: 1, runMs: 10_000 };
  const report = await simulateFleet(options);
  const extensions = perJob(report, 'lease extended', options.seconds);
  expect(extensions).toBeGreaterThan(2.3);
  expect(perJob(report, 'record looked for by its worker', options.seconds)).toBeCloseTo(2 * extensions, 5);
  expect(perJob(report, 'sign of life', options.seconds)).toBeCloseTo(4 * extensions, 5);
});

if (WORKERS > 0)
  test(`figures of ${WORKERS} workers`, async () => {
    const load = { seed: 1, workers: WORKERS, slots: 10, submitters: 10, jobsPerSecond: 0.278 * WORKERS };
    await print({ ...load, runMs: 1000, seconds: 120, burst: 0, burstAt: 1 });
    await print({ ...load, runMs: 30_000, seconds: 180, burst: 0, burstAt: 1 });
    const fair = {
      ...load,
      workers: WORKERS / 10,
      jobsPerSecond: 0.0278 * WORKERS,
      runMs: 1000,
      seconds: 60,
    };
    await print({ ...fair, burst: 10 * WORKERS, burstAt: 1 });
    await print({ ...fair, burst: 10 * WORKERS, burstAt: 10 });
  }, 900_000);

async function print(options: FleetOptions): Promise<void> {
  const report = await simulateFleet(options);
  const lines = [
    JSON.stringify(options),
    'messages in a second, in + out: without jobs, with them; for a job',
  ];
  const total = { idle: 0, loaded: 0, perJob: 0 };
  for (const kind of new Set([...report.idle.keys(), ...report.loaded.keys()])) {
    const [idle, loaded] = [report.idle, report.loaded].map((of) => of.get(kind) ?? { in: 0, out: 0 });
    const each = perJob(report, kind, options.seconds);
    lines.push(`${kind}: ${text(idle!)}, ${text(loaded!)}; ${each.toFixed(2)}`);
    total.idle += idle!.in + idle!.out;
    total.loaded += loaded!.in + loaded!.out;
    total.perJob += each;
  }
  lines.push(`all: ${total.idle.toFixed(0)}, ${total.loaded.toFixed(0)}; ${total.perJob.toFixed(2)}`);
  for (const [whose, { jobs, p50Ms, p99Ms }] of Object.entries(report.waits)) {
    lines.push(`wait of ${jobs} jobs, ${whose}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

function text({ in: incoming, out }: { in: number; out: number }): string {
  return `${incoming.toFixed(0)} + ${out.toFixed(0)}`;
}
