// One set-up at a time in a checkout: two terminals may start it at once.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, scratch } from './paths.mjs';

const lockFile = join(scratch, 'lock');

function ownerIsAlive() {
  try {
    process.kill(Number(readFileSync(lockFile, 'utf8')), 0);
    return true;
  } catch {
    return false; // Gone, or let go of the lock in the meantime.
  }
}

/** Somebody else's checkout, or a read-only one: said in a sentence, with the command that mends it. */
function giveUp(error) {
  if (!['EACCES', 'EROFS'].includes(error.code)) throw error;
  const isReadOnly = error.code === 'EROFS';
  const why = isReadOnly ? 'is on a read-only file system' : `belongs to user ${statSync(root).uid}`;
  const mend = isReadOnly ? `cp -r ${root} ~/sbx` : `sudo chown -R $(id -u) ${root}`;
  console.error(`setup: this checkout ${why} and cannot be written: ${mend}`);
  process.exit(1);
}

function makeScratch() {
  try {
    mkdirSync(scratch, { recursive: true });
  } catch (error) {
    giveUp(error);
  }
}

async function acquire() {
  makeScratch();
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') giveUp(error);
    }
    if (ownerIsAlive()) await sleep(100);
    else rmSync(lockFile, { force: true });
  }
}

export async function withLock(work) {
  await acquire();
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}
