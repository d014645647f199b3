/**
 * Uses the engine as whoever this process is. Arguments: URL of @sbx/core's index, engine options as JSON.
 * Prints one JSON object.
 */
const [index, options] = [process.argv[2], JSON.parse(process.argv[3])];
const { Engine } = await import(index);

const refused = await Engine.open(options).catch((error) => ({ code: error.code, hint: error.hint }));
const engine = await Engine.open({ ...options, require: [] });
const limits = { cpuTimeMs: 200, wallTimeMs: 2000 };

const run = async (file, args, more) => {
  const result = await engine.run(file, args, { limits, ...more });
  const { status, stdout, usage, degraded } = result;
  const files = Object.fromEntries(Object.entries(result.files).map(([path, taken]) => [path, taken.text()]));
  return { status, stdout: stdout.text(), usage, files, degraded: degraded.map(({ feature }) => feature) };
};

const posture = await run('/t/posture', []);
const files = await run('/bin/sh', ['-c', 'cat in > out; mkdir d; echo deep > d/x'], {
  files: { in: 'through' },
  copyOut: ['out', 'd/x'],
});
const burn = await run('/t/burn-cpu', ['9999']);
const sleep = await run('/t/sleep-ms', ['60000'], { limits: { wallTimeMs: 100 } });
const attack = await run('/t/kill-around', []);
const init = await run('/t/try-syscalls', ['prlimit64,1,7,0,0', 'setpriority,2,0,19', 'kill,1,9']);

const sandbox = await engine.createSandbox();
await sandbox.writeFile('a/b.txt', 'session');
await sandbox.rename('a/b.txt', 'c.txt');
const [one, two] = await Promise.all([sandbox.run('/bin/cat', ['c.txt']), sandbox.run('/t/true')]);
await sandbox.rm('a', { recursive: true });
const session = {
  text: one.stdout.text(),
  statuses: [one.status, two.status],
  names: await sandbox.readdir(),
};
await sandbox.close();

const { user } = engine.info();
await engine.close();
const answers = {
  refused: { code: refused.code, hint: refused.hint },
  user,
  posture,
  files,
  burn,
  sleep,
  attack,
  init,
  session,
};
process.stdout.write(JSON.stringify(answers));
