// The kinds of start and the profiles that the prober is run with, as tables.
import { DEFAULT_MOUNTS } from '@sbx/core';

const LIMITS = {
  wallTimeMs: 600_000, // emulated, a fork takes its time
  cpuTimeMs: 600_000, // and a CPU that waits for its host counts as used
  processCount: 32,
  outputBytes: 4 * 2 ** 20,
  memoryBytes: 256 * 2 ** 20,
};

/** Path inside. */
export const PROBE = '/p/probe';

/** Beside the default root, the program. */
export const mountsWith = (folder) => [
  ...DEFAULT_MOUNTS,
  { kind: 'bind', source: folder, target: '/p', executable: true },
];

const text = (result) => {
  if (result.status !== 'ok')
    throw new Error(`the prober ended with ${result.status}: ${result.stderr.text()}`);
  return result.stdout.text();
};

async function inSession(engine, shape, use) {
  const sandbox = await engine.createSandbox({ ...shape, limits: LIMITS });
  try {
    return await use(sandbox);
  } finally {
    await sandbox.close();
  }
}

async function waiting(engine, shape) {
  const standby = engine.standby();
  try {
    const program = { ...shape, file: '/bin/sh', args: ['main.sh'], entry: 'main.sh', limits: LIMITS };
    standby.keep('probe', { count: 1, program });
    await standby.ready();
    const started = await standby.spawn('probe', { ...program, code: `exec ${PROBE}` });
    void started.stdin.end();
    const [output] = await Promise.all([started.stdout.text(), started.stderr.text()]);
    return output;
  } finally {
    await standby.close();
  }
}

async function grouped(engine, shape) {
  const one = { ...shape, file: PROBE, limits: LIMITS };
  const { results } = await engine.runGroup({
    programs: [one, { ...shape, file: '/bin/true', limits: LIMITS }],
  });
  return text(results[0]);
}

/** Two sandboxes at once: one leaves a sign on every channel, the other looks for it. */
async function channels(engine, shape) {
  const sender = await engine.spawn(PROBE, ['send'], { ...shape, limits: LIMITS, stdout: 'pipe' });
  try {
    for await (const line of sender.stdout.lines()) if (line === 'ready') break;
    return text(await engine.run(PROBE, ['receive'], { ...shape, limits: LIMITS }));
  } finally {
    sender.kill();
    await sender.close();
  }
}

/** Each resolves with what the prober printed. */
export const STARTS = {
  'one-shot': async (engine, shape) => text(await engine.run(PROBE, [], { ...shape, limits: LIMITS })),
  session: (engine, shape) =>
    inSession(engine, shape, async (sandbox) => text(await sandbox.run(PROBE, [], { limits: LIMITS }))),
  'later in a session': (engine, shape) =>
    inSession(engine, shape, async (sandbox) => {
      await sandbox.run('/bin/true');
      return text(await sandbox.run(PROBE, [], { limits: LIMITS }));
    }),
  'beside another': (engine, shape) =>
    inSession(engine, shape, async (sandbox) => {
      const streams = { stdin: 'pipe', stdout: 'pipe' };
      const other = await sandbox.spawn('/bin/sh', ['-c', 'echo ready; read end'], {
        ...streams,
        limits: LIMITS,
      });
      try {
        for await (const line of other.stdout.lines()) if (line === 'ready') break;
        return text(await sandbox.run(PROBE, [], { limits: LIMITS }));
      } finally {
        await other.close();
      }
    }),
  group: grouped,
  terminal: async (engine, shape) => text(await engine.run(PROBE, [], { ...shape, limits: LIMITS, pty: {} })),
  standby: waiting,
  channels,
};

/** Options of the engine and of the sandbox. `user`: as whom the engine runs. */
export const PROFILES = {
  default: {},
  strict: { shape: { seccomp: 'strict' } },
  'no Landlock': { engine: { landlock: false } },
  Landlock: { engine: { landlock: true } },
  'writable proc': { engine: { proc: 'writable' } },
  'no proc': { engine: { proc: 'none' } },
  loopback: { shape: { network: 'loopback' } },
  'root inside': { engine: { insideUid: 0 } },
  rootless: { user: 65_534 },
};

/** The ones that every test run has. */
export const FAST = { profiles: ['default', 'strict'], starts: ['one-shot', 'session'] };
