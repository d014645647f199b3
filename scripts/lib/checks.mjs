// The checks of `npm test`, those of `npm run test:quick` first: a check is what gives counts, under a name.
import { addCounts, readCountLine } from './counts.mjs';
import { tool } from './paths.mjs';
import { CommandError, runInSight, runQuietly } from './run.mjs';
import { hashOf, isFresh, writeStamp } from './stamp.mjs';
import { runVitest } from './vitest.mjs';

/** A tool that passes or fails as a whole. */
const checkWith = (file, args) => async () =>
  (await runInSight(process.execPath, [file, ...args])) === 0 ? { passed: 1 } : { failed: 1 };

/** Under its own stamp, as a step of set-up: what has passed is not run again until it changes. */
async function nativeTestsOnce() {
  const hash = hashOf(['native']);
  if (isFresh('native-tests', hash, [])) {
    console.log('unchanged since it passed');
    return {};
  }
  const counts = await nativeTests();
  if (!counts.failed) writeStamp('native-tests', hash);
  return counts;
}

/** `native/build.mjs --test` ends with a count line; an exit code it does not explain is one failure more. */
async function nativeTests() {
  try {
    const output = await runQuietly(process.execPath, ['native/build.mjs', '--test']);
    return readCountLine(output) ?? { failed: 1 };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.output);
    const counts = readCountLine(error.output);
    return counts?.failed ? counts : addCounts(counts ?? {}, { failed: 1 });
  }
}

const biome = { name: 'biome', run: checkWith(tool.biome, ['check', '--error-on-warnings']) };
const clangFormat = { name: 'clang-format', run: checkWith('scripts/format-native.mjs', []) };
const tsc = { name: 'tsc', run: checkWith(tool.tsc, ['--noEmit']) };
/** What runs in browsers has their types instead of Node's. */
const tscSite = {
  name: 'tsc, console',
  run: checkWith(tool.tsc, ['--noEmit', '-p', 'packages/console/site']),
};

/** Without a sandbox, and so without privileges, cgroups and languages. */
export const QUICK_CHECKS = [
  biome,
  clangFormat,
  tsc,
  tscSite,
  { name: 'units and tidy', run: () => runVitest(['--project=unit', '--project=tidy']) },
];

export const CHECKS = [
  biome,
  clangFormat,
  tsc,
  tscSite,
  // Every public name has its documentation, and public types name only public types.
  { name: 'typedoc', run: checkWith(tool.typedoc, ['--emit', 'none', '--logLevel', 'Warn']) },
  { name: 'gcc -fanalyzer', run: checkWith('native/build.mjs', ['--analyze']) },
  { name: 'native', run: nativeTestsOnce },
  {
    name: 'vitest',
    run: () => runVitest(['unit', 'tidy', 'whole', 'alone'].map((project) => `--project=${project}`)),
  },
];

/** One after the other. A failed one that does not say of what is named. */
export async function runChecks(checks) {
  let total = {};
  for (const { name, run } of checks) {
    console.log(`\n== ${name}`);
    const counts = { failures: [], ...(await run()) };
    if (counts.failed) {
      console.log(`== ${name} FAILED`);
      if (counts.failures.length === 0) counts.failures.push(`${name}: see its own output`);
    }
    total = addCounts(total, counts);
  }
  return total;
}
