// Runs the prober with profiles and kinds of start: section name → rows.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Engine } from '@sbx/core';
import { buildPrograms } from '../../programs/build.mjs';
import { mountsWith, PROFILES, STARTS } from './starts.mjs';
import { rowsOf } from './tables.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));
const titleOf = (profile, start) => `${profile}, ${start}`;

async function withProfile({ engine: options = {}, shape = {} }, starts) {
  const engine = await Engine.open({ mounts: mountsWith(buildPrograms(here)), require: [], ...options });
  const tables = [];
  try {
    for (const start of starts) {
      // A standby needs fanotify, which an ordinary user has not.
      if (start === 'standby' && process.getuid() !== 0) continue;
      tables.push([start, await STARTS[start](engine, shape)]);
    }
  } finally {
    await engine.close();
  }
  return tables;
}

/** The same as another user, in a process of its own. */
async function asUser(user, starts) {
  buildPrograms(here); // by who may write there
  const command = [process.execPath, `${here}as-user.mjs`, starts.join()];
  const { stdout } = await promisify(execFile)(
    'setpriv',
    [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...command],
    { env: { ...process.env, HOME: '/tmp' }, maxBuffer: 2 ** 26 },
  );
  return JSON.parse(stdout);
}

/** For `asUser`: this process is that user. */
export const probeAsWeAre = (starts) => withProfile({}, starts);

export async function runProbe({ profiles = Object.keys(PROFILES), starts = Object.keys(STARTS) } = {}) {
  const tables = new Map();
  for (const profile of profiles) {
    const { user, ...options } = PROFILES[profile];
    if (user !== undefined && process.getuid() !== 0) continue; // all profiles are that then
    const rows = user === undefined ? await withProfile(options, starts) : await asUser(user, starts);
    for (const [start, printed] of rows) tables.set(titleOf(profile, start), rowsOf(printed));
  }
  return tables;
}
