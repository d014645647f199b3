// Group G: attacks on the host process, its helpers and its pool.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_MOUNTS, Engine } from '@sbx/core';
import { cgroupFolders, descendants, readOrNull } from '../../helpers/proc.mjs';
import { CONDITIONS, MiB, sandboxMounts } from '../harness/conditions.mjs';
import { gojudgeClient, startGojudge } from '../harness/gojudge-target.mjs';
import { paced } from '../harness/pace.mjs';
import { strayPrograms } from '../harness/remains.mjs';
import { becomes } from '../harness/wire.mjs';

const BUSY = [
  { argv: ['/t/burn-cpu', '60000'] },
  { argv: ['/t/sleep-ms', '60000'] },
  { argv: ['/t/deaf'] },
  { argv: ['/bin/sh', '-c', 'while :; do /bin/true; done'] },
].map((one) => ({ ...one, limits: { cpuMs: 60_000, wallMs: 60_000, procs: 8 } }));

/** A server with this many programs running and that many requests waiting. */
async function busyServer(world, running, waiting) {
  const server = await startGojudge(world, ['-parallelism', String(running)]);
  const client = gojudgeClient(server.url);
  const runs = Array.from({ length: running + waiting }, (_, index) => client.run(BUSY[index % BUSY.length]));
  await becomes(15_000, () => strayPrograms(server.pid).length >= running);
  return { ...server, client, runs };
}

/** One that only waits to be reaped by whoever got it is dead. */
const alive = (pid) => /^State:\s+[^ZX]/m.test(readOrNull(`/proc/${pid}/status`) ?? '');

export async function killServer(context) {
  const { world } = context;
  const { pid, child, exited, runs, removeStore } = await busyServer(world, 20, 0);
  const below = descendants(pid).map((row) => row.pid);
  context.note(`${below.length} processes below the server`);
  child.kill('SIGKILL');
  await Promise.all([exited, ...runs]);
  const problems = [];
  if (!(await becomes(1000, () => !below.some(alive))))
    problems.push(`${below.filter(alive).length} processes are left`);
  removeStore();
  const next = await startGojudge(world);
  const left = () => cgroupFolders(pid);
  if (!(await becomes(1000, () => left().length === 0))) problems.push(...left().slice(0, 2));
  await next.stop();
  next.removeStore();
  return problems;
}

/** Time to answer or cut what runs: `shutdownMs`, and some to kill and to reap. */
const GRACE_MS = 4500;

export async function terminateServer(context) {
  const { pid, stop, runs, removeStore } = await busyServer(context.world, 20, 100);
  const below = descendants(pid).map((row) => row.pid);
  const start = performance.now();
  await stop('SIGTERM');
  const problems = [];
  const ms = performance.now() - start;
  if (ms > GRACE_MS) problems.push(`took ${Math.round(ms)} ms to end`);
  const ended = await Promise.race([Promise.all(runs), sleep(1000, null, { ref: false })]);
  if (ended === null) problems.push('a client still waits');
  if (!(await becomes(1000, () => !below.some(alive)))) problems.push('processes are left');
  if (!(await becomes(1000, () => cgroupFolders(pid).length === 0))) problems.push('cgroups are left');
  removeStore();
  return problems;
}

export async function blockLoop(context) {
  const running = context.run({
    t: 'burn-cpu',
    args: [60_000],
    queued: true,
    limits: { wallMs: 8000 },
    verdicts: ['TLE'],
  });
  await sleep(100);
  for (const end = performance.now() + 5000; performance.now() < end; );
  const { verdict, cpuMs } = await running;
  return verdict === 'TLE' && cpuMs >= 990 && cpuMs < 1000 + paced(20)
    ? []
    : [`${verdict} after ${cpuMs.toFixed(1)} ms of CPU time`];
}

/** From a page to a MiB: less than a program needs to start. */
export async function tinyLimits(context) {
  const problems = [];
  for (let bytes = 4096; bytes <= MiB; bytes *= 2) {
    for (const argv of [['/bin/true'], ['/usr/bin/python3', '-c', 'pass']]) {
      const { cpuMs, wallMs } = CONDITIONS;
      const limits = { memoryBytes: bytes, cpuMs: paced(cpuMs), wallMs: paced(wallMs) };
      const one = await context.run({ argv, limits });
      if (!['MLE', 'REFUSED', 'AC'].includes(one.verdict))
        problems.push(`${bytes}, ${argv[0]}: ${one.verdict} ${one.message}`);
    }
  }
  return [...problems, ...(await context.check({ c: 'hello', quiet: true }))];
}

const FORGED = [
  'status:TO\ntime:0.000\nexitcode:0\n',
  '{"status":"Accepted","exitStatus":0,"time":0,"memory":0,"runTime":0}',
  'exited with code 0\nkilled\n__sbx__\0\x01\x02',
];

export async function forgeOutput(context) {
  const problems = [];
  for (const text of FORGED) {
    for (const code of [0, 3]) {
      const py = `os.write(1, ${JSON.stringify(text)}.encode()); os.write(2, ${JSON.stringify(text)}.encode()); os._exit(${code})`;
      const one = await context.run({ py });
      const expected = code === 0 ? 'AC' : 'NZ';
      if (one.verdict !== expected || one.stdout !== text || one.stderr !== text)
        problems.push(`${one.verdict} ${one.stdout}`);
    }
  }
  return problems;
}

/** Starts that fail at different steps: each refused with a reason, none a time limit. */
const CANNOT_START = [
  { argv: ['/nowhere'] },
  { argv: ['/etc/passwd'] },
  { argv: ['/usr'] },
  { argv: ['/w/script'], files: { script: '#!/nowhere\n' } },
  { argv: ['/w/script'], files: { script: '\x7fELF garbage' } },
  { argv: ['/bin/true'], core: { cwd: '/nowhere' }, on: 'core' },
];

export async function endTogether(context) {
  const problems = [];
  for (const count of [30, 1000]) {
    const limits = { procs: count + 30, memoryBytes: 512 * MiB, cpuMs: 20_000, wallMs: 60_000 };
    problems.push(...(await context.check({ c: 'die-together', args: [count], limits, queued: true })));
  }
  for (const { on, ...one } of CANNOT_START) {
    if (on !== undefined && on !== context.target.name) continue;
    const { verdict, message } = await context.run(one);
    if (verdict !== 'REFUSED' || message === '') problems.push(`${one.argv[0]}: ${verdict} ${message}`);
  }
  for (let round = 0; round < 40; round += 1) {
    const wallMs = 60;
    const one = await context.run({
      t: 'sleep-ms',
      args: [45 + (round % 10)],
      limits: { wallMs },
      verdicts: ['TLE'],
    });
    const isFalse = one.verdict === 'TLE' ? one.wallMs < wallMs : one.verdict !== 'AC';
    if (isFalse) problems.push(`${one.verdict} after ${one.wallMs.toFixed(1)} ms of ${wallMs}`);
  }
  return problems;
}

/** Cancelled at random moments of a storm, beside processes that nobody may signal. */
export async function reusePids(context) {
  const bystander = spawn('sleep', ['60']);
  const other = context.run({ t: 'sleep-ms', args: [2500], queued: true });
  for (let round = 0; round < 15; round += 1) {
    const signal = AbortSignal.timeout(10 + Math.floor(Math.random() * 120));
    const argv = ['/bin/sh', '-c', 'while :; do /bin/true & /bin/true; done'];
    await context.target.run({ argv, signal, queued: true });
  }
  const problems =
    bystander.exitCode === null && bystander.signalCode === null ? [] : ['a process of the host was killed'];
  bystander.kill();
  const { verdict } = await other;
  context.note('pid_max cannot be lowered from outside of a pid namespace here; storms instead');
  return verdict === 'AC' ? problems : [...problems, `another sandbox ended as ${verdict}`];
}

const MIXED = [
  [{ argv: ['/bin/true'] }, 'ok'],
  [{ argv: ['/t/burn-cpu', '60000'] }, 'cpu-limit'],
  [{ argv: ['/t/hold-memory', 'private', String(100 * MiB)] }, 'memory-limit'],
  [{ argv: ['/t/exit-with', '3'] }, 'exit'],
];
const ROUNDS = 20;

export async function runMany(context) {
  const parallelism = 64;
  const engine = await Engine.open({
    mounts: [...DEFAULT_MOUNTS, ...sandboxMounts(context.world)],
    parallelism,
    queueLength: 0,
  });
  const limits = { cpuTimeMs: paced(60), wallTimeMs: 60_000, memoryBytes: 32 * MiB, processCount: 16 };
  const wrong = new Map();
  for (let round = 0; round < ROUNDS; round += 1) {
    const runs = Array.from({ length: parallelism }, async (_, index) => {
      const [{ argv }, expected] = MIXED[index % MIXED.length];
      const status = await engine.run(argv[0], argv.slice(1), { limits }).then(
        (result) => result.status,
        (error) => error.code,
      );
      if (status !== expected)
        wrong.set(
          `${status} instead of ${expected}`,
          (wrong.get(`${status} instead of ${expected}`) ?? 0) + 1,
        );
    });
    await Promise.all(runs);
  }
  await engine.close();
  context.note(`${ROUNDS * parallelism} runs`);
  return [...wrong].map(([text, count]) => `${count} × ${text}`);
}

/** Many and large files, and an end in the middle of copying them. */
export async function copyMuch(context) {
  const many = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`d${index % 20}/f${index}`, `${index}`]),
  );
  const large = { large: Buffer.alloc(24 * MiB, 1) };
  const problems = [];
  const all = await context.run({ sh: 'find . -type f | wc -l', files: many });
  if (all.stdout.trim() !== '600') problems.push(`${all.verdict} ${all.stdout} ${all.message}`);
  for (const files of [many, large, { ...many, huge: Buffer.alloc(100 * MiB) }]) {
    for (const ms of [1, 5, 20, 60]) {
      const spec = { argv: ['/t/sleep-ms', '5000'], files, signal: AbortSignal.timeout(ms), queued: true };
      const one = await context.target
        .run(spec)
        .catch((error) => ({ verdict: 'IE', message: String(error) }));
      if (!['KILLED', 'FE', 'REFUSED', 'TLE'].includes(one.verdict))
        problems.push(`${ms} ms: ${one.verdict} ${one.message}`);
    }
    const limited = await context.run({
      argv: ['/t/sleep-ms', '5000'],
      files,
      limits: { wallMs: 20 },
      queued: true,
    });
    if (!['TLE', 'FE'].includes(limited.verdict)) problems.push(`${limited.verdict} ${limited.message}`);
  }
  return problems;
}
