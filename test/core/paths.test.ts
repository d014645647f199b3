/**
 * Paths as nobody would write them: whatever trees and links there are, to magic links too, and whatever a
 * hostile program moves meanwhile, no call that is given a path reads, writes, lists or executes anything
 * outside of the sandbox. SBX_PATH_CASES says how many are tried. Landlock is off: the walls before it must
 * hold alone.
 */
import { type Engine, isSbxError, type Process, type RunResult, type Sandbox } from '@sbx/core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Outside } from '../attacks/harness/outside.mjs';
import { MiB, t, useEngine } from '../helpers/engine.js';

const CASES = Number(process.env.SBX_PATH_CASES ?? 2000);
/** Then it gets crowded. */
const CASES_PER_SANDBOX = 100;
const LIMITS = { wallTimeMs: 10_000, memoryBytes: 64 * MiB, processCount: 16 };

const sbx = useEngine({ landlock: false, require: [] });
let outside: Outside;
beforeAll(() => {
  outside = new Outside();
});
afterAll(() => outside.remove());

// Paths.

const up = '/..'.repeat(8);
const number = fc.nat({ max: 39 });
const who = fc.oneof(
  { weight: 4, arbitrary: fc.constant('self') },
  { weight: 3, arbitrary: fc.constantFrom('thread-self', 'self/task/1', '1', '2', '3') },
);
const descriptor = fc.tuple(who, number).map(([process, fd]) => `/proc/${process}/fd/${fd}`);
const magic = fc.oneof(
  descriptor,
  descriptor,
  fc
    .tuple(who, fc.constantFrom('root', 'cwd', 'exe', 'ns/mnt', 'map_files'))
    .map(([process, name]) => `/proc/${process}/${name}`),
  number.map((fd) => `/dev/fd/${fd}`),
  fc.constantFrom('/dev/stdin', '/dev/stdout', '/', '/w', '/tmp', '/dev/shm', '/usr', '/proc', ''),
);
const name = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  { weight: 6, arbitrary: name },
  { weight: 1, arbitrary: fc.constantFrom('.', '', '..', 'proc', 'self', 'x\n') },
);
const steps = fc.array(step, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const base = fc.oneof(
  { weight: 4, arbitrary: steps },
  { weight: 2, arbitrary: magic },
  { weight: 5, arbitrary: magic.map((link) => `${link}${up}`) },
  { weight: 1, arbitrary: fc.tuple(magic, steps).map(([link, rest]) => `${link}/${rest}`) },
);
/**
 * Which of the folders outside the path goes on to, if to any, and to what there: mostly what fits the call.
 */
const ends = ['', '/marker', '/victim', '/run', '/link', '/new'];
const fitting = { weight: 3, arbitrary: fc.constant(null) };
const end = fc.option(
  fc.tuple(fc.nat({ max: 2 }), fc.oneof(fitting, { weight: 1, arbitrary: fc.constantFrom(...ends) })),
  { freq: 5 },
);
const path = fc.record({ base, end });
type Path = typeof path extends fc.Arbitrary<infer T> ? T : never;

function spell({ base: from, end: to }: Path, fit = ''): string {
  if (to === null) return from;
  const [index, rest] = to;
  return `${from}${outside.folders[index % outside.folders.length]!}${rest ?? fit}`;
}

// What is given one.

const text = ({ stdout, stderr, outputs, files }: RunResult) =>
  [stdout, stderr, ...Object.values(outputs), ...Object.values(files)].map((one) => one.text()).join('\n');

async function run(
  box: Sandbox | Engine,
  file: string,
  args: string[],
  options: object = {},
): Promise<string> {
  return text(await box.run(file, args, { limits: LIMITS, ...options }));
}

const looks = ['-c', 'cat marker */marker tmp/sbx-out-*/marker; ls . ..; echo x > new', 'sh'];

type Call = (box: Sandbox, path: string, other: string) => Promise<unknown>;

const RUNS: Record<string, Call> = {
  cwd: (box, at) => run(box, '/bin/sh', looks, { cwd: at }),
  'cwd, of a fresh sandbox': (_, at, other) =>
    run(sbx.engine, '/bin/sh', looks, { cwd: at, files: { a: { symlink: other } } }),
  file: (box, at) => run(box, at, []),
  'file, of a fresh sandbox': (_, at, other) =>
    run(sbx.engine, at, [], { files: { a: { symlink: other }, b: { symlink: 'a' } } }),
  'file and cwd': (box, at, other) => run(box, other, [], { cwd: at, lookup: 'cwd-first' }),
  PATH: (box, at) => run(box, 'run', [], { env: { PATH: at } }),
  interpreter: async (box, at) => {
    await box.writeFile('script', `#!${at}\n`, { mode: 0o755 });
    return run(box, './script', []);
  },
  'stdin file': (box, at) => run(box, '/bin/cat', [], { stdin: { file: at } }),
  'output file': (box, at) =>
    run(box, '/bin/echo', ['x'], { stdout: { file: at, collect: { maxBytes: 99 } } }),
  copyIn: (box, at) => run(box, '/bin/true', [], { files: { [at]: 'x' } }),
  'copyIn of a link': (box, at, other) => run(box, '/bin/true', [], { files: { [at]: { symlink: other } } }),
  copyOut: (box, at) => run(box, '/bin/true', [], { copyOut: [{ path: at, truncate: true, maxBytes: 999 }] }),
};

const decoded = async (bytes: Promise<Uint8Array>) => Buffer.from(await bytes).toString();

const CALLS: Record<string, Call> = {
  readFile: (box, at) => decoded(box.readFile(at, { maxBytes: MiB })),
  writeFile: (box, at) => box.writeFile(at, 'x'),
  mkdir: (box, at) => box.mkdir(at, { recursive: true }),
  readdir: async (box, at) => (await box.readdir(at)).join(),
  stat: (box, at) => box.stat(at),
  lstat: (box, at) => box.lstat(at),
  exists: (box, at) => box.exists(at),
  rm: (box, at) => box.rm(at, { recursive: true }),
  'rename from': (box, at, other) => box.rename(at, other),
  'rename to': (box, at, other) => box.rename(other, at),
  symlink: (box, at, other) => box.symlink(other, at),
  readlink: (box, at) => box.readlink(at),
  chmod: (box, at) => box.chmod(at, 0o777),
};

/** What of the folder outside a call is for; of the others a file that can be read. */
const FITS: Record<string, string> = {
  ...Object.fromEntries(['cwd', 'cwd, of a fresh sandbox', 'PATH', 'readdir', 'rm'].map((one) => [one, ''])),
  ...Object.fromEntries(
    ['file', 'file, of a fresh sandbox', 'file and cwd', 'interpreter'].map((one) => [one, '/run']),
  ),
  ...Object.fromEntries(
    ['output file', 'copyIn', 'writeFile', 'chmod', 'rename from'].map((one) => [one, '/victim']),
  ),
  ...Object.fromEntries(['copyIn of a link', 'mkdir', 'rename to', 'symlink'].map((one) => [one, '/new'])),
  ...Object.fromEntries(['readlink', 'lstat'].map((one) => [one, '/link'])),
};
const fitOf = (one: string) => FITS[one] ?? '/marker';

const call = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(RUNS)) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(CALLS)) },
);
/** Made before: a link that the program that moves things may have moved by then. */
const link = fc.option(fc.record({ at: name, to: path }), { freq: 3 });
const attempt = fc.record({ call, path, other: path, link });

// The sandbox, and who moves things in it.

interface Scene {
  box: Sandbox;
  mover: Process;
  left: number;
}
let scene: Scene | undefined;

async function closeScene(): Promise<void> {
  const { box, mover } = scene ?? {};
  scene = undefined;
  mover?.kill();
  await mover?.close();
  await box?.close();
}

async function openScene(seed: number): Promise<Scene> {
  const box = await sbx.engine.createSandbox({ limits: { wallTimeMs: 600_000, diskFileCount: 4096 } });
  const targets = [
    '/',
    '..',
    '/proc/self/root',
    `/proc/self/cwd${up}`,
    ...[...Array(32).keys()].map((fd) => `/proc/self/fd/${fd}${up}`),
  ];
  const mover = await box.spawn(t('move-around'), [String(seed), ...targets], {
    stdout: 'pipe',
    limits: { ...LIMITS, wallTimeMs: 600_000, cpuTimeMs: null },
  });
  for await (const line of mover.stdout!.lines()) if (line === 'moving') break;
  return { box, mover, left: CASES_PER_SANDBOX };
}

const OURS = new Set(['SBX_INTERNAL', 'SBX_SANDBOX_LOST']);

/** What came back, or the error's message, which may name the path but nothing that is there. */
async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    const said = await work();
    return typeof said === 'string' ? said : '';
  } catch (error) {
    if (isSbxError(error) && !OURS.has(error.code)) return error.message;
    throw error;
  }
}

it(
  `${CASES} of them lead nowhere`,
  async () => {
    const counts = new Map<string, number>();
    const property = fc.asyncProperty(attempt, fc.nat(), async (one, seed) => {
      if (scene === undefined || scene.left-- === 0) {
        await closeScene();
        expect(outside.changes()).toEqual([]);
        scene = await openScene(seed);
      }
      const { box } = scene;
      const { link: planted } = one;
      if (planted !== null) {
        await outcomeOf(() => box.rm(planted.at, { recursive: true, force: true }));
        await outcomeOf(() => box.symlink(spell(planted.to) || '/', planted.at));
      }
      const use = RUNS[one.call] ?? CALLS[one.call]!;
      const at = spell(one.path, fitOf(one.call));
      const said = await outcomeOf(() => use(box, at, spell(one.other, fitOf(one.call))));
      counts.set(one.call, (counts.get(one.call) ?? 0) + 1);
      expect(outside.shown(said), `${one.call} of ${JSON.stringify(at)}`).toBe('');
    });
    try {
      await fc.assert(property, { numRuns: CASES, endOnFailure: true });
    } finally {
      await closeScene();
    }
    expect(outside.changes()).toEqual([]);
    expect([...counts.keys()].sort()).toEqual([...Object.keys(RUNS), ...Object.keys(CALLS)].sort());
  },
  60_000 + CASES * 60,
);
