// `npm test`: set-up, what the tests need of the machine, then every check. The last line printed is the sum
// over all of them. With arguments, only vitest, filtered by them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addCounts, countLine, readCountLine } from './lib/counts.mjs';
import { guestTests } from './lib/guest.mjs';
import { NODE_VERSIONS, nodeBinary } from './lib/nodes.mjs';
import { scratch, tool } from './lib/paths.mjs';
import { CommandError, runInSight, runQuietly } from './lib/run.mjs';
import { setup } from './lib/setup.mjs';
import { provideSystemPackages } from './lib/system-packages.mjs';
import { runVitest } from './lib/vitest.mjs';

const inCi = process.env.CI === 'true';

/** A tool that passes or fails as a whole. */
const checkWith = (file, args) => async () =>
  (await runInSight(process.execPath, [file, ...args])) === 0 ? { passed: 1 } : { failed: 1 };

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

/** Of the servers and clients, which hang on Node's own more than the rest does. */
async function testsOnNewestNode() {
  const node = await nodeBinary(NODE_VERSIONS.at(-1));
  return runVitest(['test/gojudge/', 'test/fathom/', 'test/fifo/', 'test/mcp/', 'test/adapters/'], {
    name: 'newest-node',
    node,
  });
}

const CHECKS = [
  { name: 'biome', run: checkWith(tool.biome, ['check', '--error-on-warnings']) },
  { name: 'tsc', run: checkWith(tool.tsc, ['--noEmit']) },
  // Every public name has its documentation, and public types name only public types.
  { name: 'typedoc', run: checkWith(tool.typedoc, ['--emit', 'none', '--logLevel', 'Warn']) },
  { name: 'gcc -fanalyzer', run: checkWith('native/build.mjs', ['--analyze']) },
  { name: 'native', run: nativeTests },
  { name: 'vitest', run: () => runVitest([]) },
  { name: 'newest Node', run: testsOnNewestNode },
  { name: 'cgroup v2 guest', run: () => guestTests() },
];

async function runChecks(checks) {
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

await setup();
const filters = process.argv.slice(2);
const missing = await provideSystemPackages();
if (missing.length > 0 && !inCi) console.error('Tests of these are skipped, and counted.');
const checks = filters.length > 0 ? [{ name: 'vitest', run: () => runVitest(filters) }] : CHECKS;
const total = await runChecks(checks);
if (inCi) total.failed += missing.length;
mkdirSync(scratch, { recursive: true });
writeFileSync(join(scratch, 'counts.json'), JSON.stringify(total));
if (inCi && total.skipped > 0) console.error('In CI everything must run: a skipped test is a failure.');
process.exitCode = total.failed > 0 || (inCi && total.skipped > 0) ? 1 : 0;
console.log(`\n${countLine(total)}`);
