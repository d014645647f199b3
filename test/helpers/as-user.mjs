/**
 * Uses the engine as whoever this process is. Arguments: URL of @sbx/core's index, engine options as JSON.
 * Prints one JSON object.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [index, options] = [process.argv[2], JSON.parse(process.argv[3])];
const { Engine } = await import(index);

const refused = await Engine.open(options).catch((error) => ({ code: error.code, hint: error.hint }));
if (refused instanceof Engine) await refused.close(); // it was not
const engine = await Engine.open({ ...options, require: [] });
const pace = Number(process.env.SBX_TEST_PACE ?? 1);
const limits = { cpuTimeMs: 200 * pace, wallTimeMs: 2000 * pace };

const run = async (file, args, more) => {
  const result = await engine.run(file, args, { limits, ...more });
  const { status, evidence, stdout, stderr, usage, degraded } = result;
  const files = Object.fromEntries(Object.entries(result.files).map(([path, taken]) => [path, taken.text()]));
  return {
    status,
    evidence,
    stdout: stdout.text(),
    stderr: stderr.text(),
    usage,
    files,
    degraded: degraded.map(({ feature }) => feature),
  };
};

const posture = await run('/t/posture', []);
const files = await run('/bin/sh', ['-c', 'cat in > out; mkdir d; echo deep > d/x'], {
  files: { in: 'through' },
  copyOut: ['out', 'd/x'],
});
const burn = await run('/t/burn-cpu', ['9999']);
const sleep = await run('/t/sleep-ms', ['60000'], { limits: { wallTimeMs: 100 * pace } });
const MiB = 2 ** 20;
const hold = (kind, bytes, memoryBytes, { file = '/t/hold-memory', heldMs = 1500, ...limits } = {}) =>
  run(file, [kind, `${bytes}`, `${heldMs}`], {
    limits: { memoryBytes, wallTimeMs: 20_000 * pace, processCount: 16, ...limits },
  });
const hog = await hold('private', 64 * MiB, 16 * MiB);
// Of each kind, where init looks after them instead of a cgroup.
const isWatched = engine.info().cgroup.version === 'none';
const hogs = {};
const holders = {};
for (const kind of ['private', 'shared', 'sysv', 'eight', 'shrug', 'undumpable', 'thread'])
  if (isWatched) hogs[kind] = await hold(kind, 600 * MiB, 256 * MiB);
if (isWatched) {
  hogs.devshm = await hold('devshm', 60 * MiB, 32 * MiB);
  hogs.row = await hold('row', 60 * MiB, 32 * MiB);
  hogs.unbounded = await hold('work', 60 * MiB, 32 * MiB, { diskBytes: null });
  for (const kind of ['tables', 'segments']) hogs[kind] = await hold(kind, 600 * MiB, 256 * MiB);
  // Of which not even the kernel shows init all.
  hogs.unreadable = await hold('private', 600 * MiB, 256 * MiB, { file: '/t/unreadable' });
  // They fill their memory as fast as init reaps them.
  hogs.turns = await hold('turns', 1024 * MiB, 64 * MiB, { processCount: 512, heldMs: 60_000 });
}
for (const kind of ['private', 'shared', 'forks', 'vfork'])
  if (isWatched) holders[kind] = await hold(kind, 100 * MiB, 128 * MiB);
const forks = await run('/t/fork-count', ['20'], { limits: { processCount: 8 } });
const attack = await run('/t/kill-around', []);
// Its file is the user's own here. A script's interpreter is looked up by the kernel.
const script = { text: '#!/proc/self/exe\n', executable: true };
const helper = await run('./a', [], { files: { a: script } });
const init = await run('/t/try-syscalls', ['prlimit64,1,7,0,0', 'setpriority,2,0,19', 'kill,1,9']);

// A file of the user's own, given to read: small, and too large to be copied at once.
const own = mkdtempSync(join(tmpdir(), 'own-'));
const given = [];
for (const bytes of [16, 2 ** 20]) {
  const hostFile = join(own, `${bytes}`);
  writeFileSync(hostFile, 'x'.repeat(bytes));
  const { stdout } = await run('/t/change-fd', ['0'], { stdin: { hostFile, seekable: true } });
  given.push({
    tried: stdout.trim().split('\n'),
    kept: readFileSync(hostFile, 'utf8') === 'x'.repeat(bytes),
  });
}
rmSync(own, { recursive: true });

const sandbox = await engine.createSandbox();
await sandbox.writeFile('a/b.txt', 'session');
await sandbox.rename('a/b.txt', 'c.txt');
const [one, two] = await Promise.all([sandbox.run('/bin/cat', ['c.txt']), sandbox.run('/t/true')]);
await sandbox.rm('a', { recursive: true });
const storm = await sandbox.run('/t/fork-count', ['2000'], { limits: { processCount: 8 } });
const session = {
  text: one.stdout.text(),
  statuses: [one.status, two.status],
  forks: storm.stdout.text(),
  names: await sandbox.readdir(),
};
const shut = 'mkdir -p d/a/b/c; touch d/a/b/c/f; chmod 0 d/a/b/c; chmod 555 d/a/b; chmod 0 d/a; chmod 555 d';
await sandbox.run('/bin/sh', ['-c', shut]);
await sandbox.rm('d', { recursive: true });
session.afterRemoval = await sandbox.readdir();
await sandbox.run('/bin/sh', ['-c', 'echo program > p; chmod 640 p; echo other > q; chmod 600 q']);
await sandbox.appendFile('p', 'host\n');
await sandbox.copyFile('p', 'q');
session.copied = await sandbox.run('/bin/sh', ['-c', 'echo more >> q; cat q; stat -c %a p q']);
session.copied = session.copied.stdout.text();
// Whose names may be read, and nothing be looked at.
await sandbox.run('/bin/sh', ['-c', 'mkdir names; touch names/one; chmod 444 names']);
session.shut = [
  await sandbox.readdir('.', { recursive: true }).catch(({ code }) => code),
  (await sandbox.watch('.', { recursive: true }).next()).value.kind,
];
await sandbox.close();

const asRoot = await Engine.open({
  ...options,
  require: [],
  insideUid: 0,
  signalsToInit: 'ignore',
  allowSyscalls: ['ptrace'],
});
const traces = ['ptrace,16,1,0,0', 'ptrace,17,2,0,0'];
const tracing = (await asRoot.run('/t/try-syscalls', traces, { limits })).stdout.text();
const root = (await asRoot.run('/t/posture', [], { limits })).stdout.text();
const rootAttack = (await asRoot.run('/t/kill-around', [], { limits })).stdout.text();
await asRoot.close();

const standby = engine.standby();
const shell = { file: '/bin/sh', args: ['main.sh'], entry: 'main.sh' };
standby.keep('shell', { count: 1, program: shell });
await standby.ready();
const fromStandby = await standby.spawn('shell', { ...shell, code: 'echo served' });
const { waiting, cold, reason } = standby.counters().shell;
const served = { stdout: await fromStandby.stdout.text(), waiting, cold, reason };

// All that wait in sockets are counted for the user, whose programs and host have limits of their own.
const sender = await engine.spawn('/t/send-descriptors', ['60000'], {
  limits: { openFileCount: null, wallTimeMs: 60_000 * pace },
  stdout: 'pipe',
});
const inTheWay = (await sender.stdout[Symbol.asyncIterator]().next()).value;
const besideSender = await run('/t/true', []).catch(({ code, message }) => ({ status: code, message }));
sender.kill();
await sender.result;

const { user } = engine.info();
await engine.close();
const answers = {
  refused: { code: refused.code, hint: refused.hint },
  user,
  posture,
  files,
  burn,
  sleep,
  hog,
  hogs,
  holders,
  forks,
  attack,
  helper: [helper.status, helper.stderr],
  init,
  root,
  tracing,
  rootAttack,
  session,
  served,
  given,
  sending: [Buffer.from(inTheWay).toString(), besideSender.status],
};
process.stdout.write(JSON.stringify(answers));
