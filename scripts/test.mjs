// `npm test`: set-up, what the tests need of the machine, then every check; the rest of what CI runs is in
// test-full.mjs. `--quick`: the checks that need no sandbox. With other arguments, only vitest, filtered by
// them. The last line printed is the sum.
import { CHECKS, QUICK_CHECKS, runChecks } from './lib/checks.mjs';
import { countLine, writeCounts } from './lib/counts.mjs';
import { setup } from './lib/setup.mjs';
import { provideSystemPackages } from './lib/system-packages.mjs';
import { runVitest, WITH_SOAKS } from './lib/vitest.mjs';

const inCi = process.env.CI === 'true';

function chosenChecks(args) {
  if (args.length === 0) return CHECKS;
  return [{ name: 'vitest', run: () => runVitest(args, { env: WITH_SOAKS }) }];
}

const args = process.argv.slice(2);
const isQuick = args[0] === '--quick';
if (process.geteuid() !== 0 && args.length === 0) {
  console.error(
    'test: the tests make users, groups and mounts, which takes root: sudo env "PATH=$PATH" npm test (npm run test:quick does without)',
  );
  process.exit(1);
}
await setup();
const missing = isQuick ? [] : await provideSystemPackages();
if (missing.length > 0 && !inCi) console.error('Tests of these are skipped, and counted.');
const total = await runChecks(isQuick ? QUICK_CHECKS : chosenChecks(args));
if (inCi) total.failed += missing.length;
writeCounts('test', total);
if (inCi && total.skipped > 0) console.error('In CI everything must run: a skipped test is a failure.');
process.exitCode = total.failed > 0 || (inCi && total.skipped > 0) ? 1 : 0;
console.log(`\n${countLine(total)}`);
