// `npm run bench -- NAME [--json] [--check]`: set-up, then one benchmark.
import { handOver } from './lib/run.mjs';
import { setup } from './lib/setup.mjs';

await setup();
await handOver(process.execPath, ['test/bench/main.mjs', ...process.argv.slice(2)]);
