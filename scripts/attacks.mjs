// `npm run attacks -- [--json] [--only 1,2,30-40] [--group A,B] [--target core|gojudge|all]`: set-up, then the catalogue.
import { handOver } from './lib/run.mjs';
import { setup } from './lib/setup.mjs';

await setup();
await handOver(process.execPath, ['test/attacks/main.mjs', ...process.argv.slice(2)]);
