// One set-up at a time in a checkout: two terminals may start it at once.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratch } from './paths.mjs';

const lockFile = join(scratch, 'lock');

function ownerIsAlive() {
  try {
    process.kill(Number(readFileSync(lockFile, 'utf8')), 0);
    return true;
  } catch {
    return false; // Gone, or let go of the lock in the meantime.
  }
}

async function acquire() {
  mkdirSync(scratch, { recursive: true });
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
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
