// `npm run test:vm`: the chosen tests in the guest; `-- --full` all of core's, `-- FILE…` those.
import { countLine } from './lib/counts.mjs';
import { guestTests } from './lib/guest.mjs';
import { setup } from './lib/setup.mjs';

await setup();
const args = process.argv.slice(2);
const files = args[0] === '--full' ? ['test/core', 'test/vm'] : args;
const counts = await guestTests(files.length > 0 ? files : undefined);
if (counts.failed > 0) process.exitCode = 1;
console.log(`\n${countLine(counts)}`);
