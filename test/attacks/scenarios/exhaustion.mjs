// Group C: attacks whose effect on the host or on a concurrent run is what counts.
import { closeSync, openSync, statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export async function openFilesOfHost(context) {
  const attack = context.check({
    c: 'exhaust-descriptors',
    says: (one) => (/EMFILE/.test(one.stdout) ? [] : ['no EMFILE']),
  });
  await sleep(150);
  const opened = Array.from({ length: 64 }, () => openSync('/dev/null', 'r'));
  for (const fd of opened) closeSync(fd);
  const beside = await context.check({ c: 'hello', quiet: true });
  return [...(await attack), ...beside];
}

export async function budgetsOfUsers(context) {
  const taking = context.run({ c: 'exhaust-user', args: ['take', 700], limits: { openFiles: 4096 } });
  await sleep(300);
  const problems = await context.check({ c: 'exhaust-user', args: ['use'] });
  const { stdout } = await taking;
  context.note(stdout.split('\n')[0]);
  return problems;
}

const freeBytes = (path) => {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
};

/** Others use the disk as well: half a GiB of it is theirs. */
const OTHERS_BYTES = 512 * 2 ** 20;

export const hostDiskUnchanged = (cases) => async (context) => {
  const places = ['/', '/var/tmp', '/dev/shm'];
  const before = places.map(freeBytes);
  const problems = [];
  for (const one of cases) problems.push(...(await context.check(one)));
  const lost = places.filter((place, index) => before[index] - freeBytes(place) > OTHERS_BYTES);
  return [...problems, ...lost.map((place) => `free space of ${place} shrank`)];
};
