/**
 * The ways to run /bin/true that are compared. Each is { name, run(slot) }, which resolves when the program
 * and all that was made for it are gone; `slot` is a number below the concurrency, for tools that need a
 * place of their own.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Sandbox } from '@sbx/core';
import { findOnPath } from './machine.mjs';

const PROGRAM = '/bin/true';

/** Every limit that a grader sets. */
export const LIMITS = {
  cpuTimeMs: 1000,
  wallTimeMs: 5000,
  memoryBytes: 64 * 2 ** 20,
  processCount: 16,
  outputBytes: 64 * 2 ** 10,
};

/** Node's own way: three pipes, until they are closed and the exit is known. */
function spawnToClose(file, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${file} exited with ${code}`)),
    );
    child.stdin.end();
    child.stdout.resume();
    child.stderr.resume();
  });
}

function expectOk(result) {
  if (!result.ok) throw new Error(`${PROGRAM} ended with ${result.status}`);
}

export const bareSpawn = { name: 'spawn', run: () => spawnToClose(PROGRAM, []) };

/** A fresh sandbox each; the promise resolves when its last process is dead and its figures are final. */
const fresh = (engine) => ({
  name: 'run',
  run: async () => expectOk(await Sandbox.run(PROGRAM, [], { engine, limits: LIMITS })),
});

const standing = (sandbox) => ({
  name: 'session',
  run: async () => expectOk(await sandbox.run(PROGRAM, [], { limits: LIMITS })),
});

const shown = ['/usr', '/bin', '/lib', '/lib64'].filter((path) => existsSync(path));

/** Other sandboxes, when they are installed, doing what they do for one run of a judge or a build. */
const PEERS = {
  bwrap: (file) => {
    const binds = shown.flatMap((path) => ['--ro-bind', path, path]);
    const view = [...binds, '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];
    const args = ['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', ...view, PROGRAM];
    return () => spawnToClose(file, args);
  },
  nsjail: (file) => {
    const binds = shown.flatMap((path) => ['-R', path]);
    const args = ['-Mo', '--really_quiet', ...binds, '-T', '/tmp', '--time_limit', '5', '--', PROGRAM];
    return () => spawnToClose(file, args);
  },
  isolate: (file) => async (slot) => {
    const box = `--box-id=${slot}`;
    await spawnToClose(file, [box, '--init']);
    await spawnToClose(file, [box, '--time=1', '--wall-time=5', '--mem=65536', '--run', '--', PROGRAM]);
    await spawnToClose(file, [box, '--cleanup']);
  },
};

async function installedPeers() {
  const peers = [];
  for (const [name, make] of Object.entries(PEERS)) {
    const file = findOnPath(name);
    if (file === null) continue;
    const run = make(file);
    const problem = await run(0).then(
      () => null,
      (error) => error,
    );
    if (problem === null) peers.push({ name, run });
    else console.error(`${name} is installed but does not work here: ${problem.message}`);
  }
  return peers;
}

export async function makeContenders(engine) {
  const sandbox = await engine.createSandbox({ limits: LIMITS });
  return {
    ours: [bareSpawn, fresh(engine), standing(sandbox)],
    peers: await installedPeers(),
    close: () => sandbox.close(),
  };
}
