/**
 * Starts a program again and again whose file is open for writing, so that each start stands right before its
 * exec for a moment (ETXTBSY, tried again for 50 ms) and then fails. Who started this process looks at the
 * descriptors meanwhile, and kills it. Arguments: URL of @sbx/core's index, folder with the program `busy`,
 * kind of start.
 */
import { openSync } from 'node:fs';
import { join } from 'node:path';

const [index, folder, kind] = process.argv.slice(2);
const { DEFAULT_MOUNTS, Engine } = await import(index);

openSync(join(folder, 'busy'), 'r+'); // held until this process ends
const mounts = [...DEFAULT_MOUNTS, { kind: 'bind', source: folder, target: '/p', executable: true }];
const engine = await Engine.open({ mounts, require: [], parallelism: 1 });
const BUSY = '/p/busy';

async function inSession(before, options = {}) {
  const sandbox = await engine.createSandbox();
  try {
    await before(sandbox);
    await sandbox.run(BUSY, [], options);
  } finally {
    await sandbox.close();
  }
}

async function waiting() {
  const standby = engine.standby();
  try {
    const program = { file: BUSY, args: ['main'], entry: 'main' };
    await standby.spawn('busy', { ...program, code: 'x' });
  } finally {
    await standby.close();
  }
}

const STARTS = {
  'one-shot': () => engine.run(BUSY),
  'one-shot with files': () =>
    engine.run(BUSY, [], {
      files: { f: 'x' },
      stdin: { text: 'x', seekable: true },
      stdout: { file: 'out', collect: { maxBytes: 9 } },
    }),
  session: () => inSession(async () => undefined),
  'later in a session': () => inSession((sandbox) => sandbox.run('/bin/true')),
  'beside another': () => inSession((sandbox) => sandbox.spawn('/bin/sleep', ['1000'])),
  group: () => engine.runGroup({ programs: [{ file: BUSY }, { file: '/bin/true' }] }),
  terminal: () => engine.run(BUSY, [], { pty: {} }),
  standby: waiting,
};

for (;;) {
  const code = await STARTS[kind]().then(
    () => 'started',
    (error) => error.code ?? String(error),
  );
  process.stdout.write(`${code}\n`);
}
