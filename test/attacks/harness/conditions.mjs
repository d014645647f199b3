// Section 0 of the catalogue: limits of every run unless an entry says otherwise, and the image that programs
// see.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms } from '../../programs/build.mjs';

export const MiB = 2 ** 20;

export const CONDITIONS = Object.freeze({
  cpuMs: 1000,
  wallMs: 3000,
  memoryBytes: 64 * MiB,
  procs: 32,
  outputBytes: 64 * 1024,
  copyOutMaxBytes: MiB,
  /** As go-judge's servers have it. */
  fileBytes: 256 * MiB,
  diskBytes: 32 * MiB,
  diskFiles: 4096,
  parallelism: 4,
  ready: 2,
  /** Slots that a pool may keep after the busiest entry. */
  slotsMax: 8,
});

/** In the guest everything else is in memory, where a disk could not be filled without filling that. */
const scratch = fileURLToPath(new URL('../../../build/', import.meta.url));

const programs = fileURLToPath(new URL('../programs/', import.meta.url));

/**
 * Folders of the host for one run of the catalogue: `temp` is the only place where engine and servers may put
 * temporary things, `shown` is bound read-only at /data, `disk` writable at /disk.
 */
export function makeWorld() {
  const parent = process.env.SBX_GUEST ? scratch : '/var/tmp';
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'sbx-attacks-'));
  chmodSync(folder, 0o755);
  const world = {
    folder,
    temp: join(folder, 'temp'),
    shown: join(folder, 'shown'),
    disk: join(folder, 'disk'),
    secret: join(folder, 'secret'),
    stores: join(folder, 'stores'),
    attackPrograms: buildPrograms(programs),
    testPrograms: buildPrograms(),
    /** What no program may ever print. */
    answer: `answer-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`,
  };
  for (const name of ['temp', 'shown', 'disk', 'secret', 'stores']) mkdirSync(world[name], { mode: 0o755 });
  chmodSync(world.disk, 0o777);
  writeFileSync(join(world.shown, 'open'), 'open\n', { mode: 0o644 });
  writeFileSync(join(world.shown, 'root-only'), 'GOT a file of root\n', { mode: 0o600 });
  writeFileSync(join(world.shown, 'group-only'), 'GOT a file of group 0\n', { mode: 0o640 });
  writeFileSync(join(world.secret, 'expected.txt'), `${world.answer}\n`, { mode: 0o644 });
  process.env.TMPDIR = world.temp;
  process.env.SECRET = `SECRET-${world.answer}`;
  return world;
}

export function removeWorld(world) {
  rmSync(world.folder, { recursive: true, force: true });
}

/** Beside the default root: programs, and two folders of the host. */
export function sandboxMounts(world) {
  return [
    { kind: 'bind', source: world.attackPrograms, target: '/a', executable: true },
    { kind: 'bind', source: world.testPrograms, target: '/t', executable: true },
    { kind: 'bind', source: world.shown, target: '/data' },
    { kind: 'bind', source: world.disk, target: '/disk', writable: true },
  ];
}
