// The four prebuilt pairs in the folder that is packed: built twice, compared, looked at, and only then put
// there.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { root } from './paths.mjs';
import { checkAddon, checkHelper } from './prebuilt-checks.mjs';
import { pythonPackages } from './python-tools.mjs';
import { hashOf, isFresh, writeStamp } from './stamp.mjs';

const FILES = ['sbx-helper', 'sbx.node'];
const FOLDER = 'packages/core/prebuilds';
const ZIG = 'scripts/zig/requirements.txt';

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/**
 * Builds a pair in a folder of its own, with no object of an earlier build; those of zig's own libraries are
 * kept.
 */
async function buildAfresh(buildPair, pair, zig, folder) {
  const local = join(folder, 'objects');
  const env = { ...process.env, ZIG_LOCAL_CACHE_DIR: local, ZIG_GLOBAL_CACHE_DIR: join(zig, 'built') };
  await buildPair(pair, folder, join(zig, 'ziglang/zig'), env);
  rmSync(local, { recursive: true, force: true });
  return folder;
}

/** Of what is built from and what was built: a build with the local compiler in between is seen, too. */
function stampOf({ platform }) {
  const name = `prebuilds-${platform}`;
  const outputs = FILES.map((file) => join(FOLDER, platform, file));
  const hash = () => hashOf(['native', 'pnpm-lock.yaml', ZIG, ...outputs]);
  return {
    isFresh: () => outputs.every((path) => existsSync(join(root, path))) && isFresh(name, hash(), outputs),
    write: () => writeStamp(name, hash()),
  };
}

function checkEqual(one, other) {
  const differing = FILES.filter((file) => sha256(join(one, file)) !== sha256(join(other, file)));
  if (differing.length > 0) throw new Error(`two builds differ: ${differing.join(', ')}`);
}

function putInPlace(built, { platform }) {
  const place = join(root, FOLDER, platform);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(root, FOLDER), { recursive: true });
  renameSync(built, place);
}

/** One pair: what is fresh stays, and with `again` is compared with another build. */
async function makePair(buildPair, pair, draft, again) {
  const stamp = stampOf(pair);
  const fresh = stamp.isFresh();
  if (fresh && !again) return;
  const start = performance.now();
  const zig = await pythonPackages('zig', ZIG);
  const place = join(root, FOLDER, pair.platform);
  if (!fresh) {
    const built = await buildAfresh(buildPair, pair, zig, join(draft, pair.platform));
    checkAddon(pair, built);
    checkHelper(pair, built);
    putInPlace(built, pair);
    stamp.write();
  }
  if (again) checkEqual(place, await buildAfresh(buildPair, pair, zig, join(draft, 'again', pair.platform)));
  const notes = [
    checkAddon(pair, place),
    checkHelper(pair, place),
    ...(again ? ['a second build is equal'] : []),
  ];
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.error(`prebuilds: ${pair.platform}: ${notes.join('; ')}; ${seconds} s`);
}

/**
 * Makes those that are not there, or not made of what is there now. `only`: of that platform; `again`: builds
 * each once more and compares.
 */
export async function makePrebuilds({ only, again = false } = {}) {
  // Not at the top: this needs the packages of node_modules, and set-up comes first.
  const { PREBUILDS, buildPair } = await import('../../native/prebuilds.mjs');
  await withLock(async () => {
    mkdirSync(join(root, 'build'), { recursive: true });
    const draft = mkdtempSync(join(root, 'build/prebuilds-'));
    try {
      const pairs = PREBUILDS.filter(({ platform }) => only === undefined || platform === only);
      for (const pair of pairs) await makePair(buildPair, pair, draft, again);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  });
}
