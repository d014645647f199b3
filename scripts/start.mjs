// `npm start`: set-up, then the tour. `-- --once` ends after it.
import { handOver } from './lib/run.mjs';
import { setup } from './lib/setup.mjs';

await setup();
await handOver(process.execPath, ['test/tour/main.mjs', ...process.argv.slice(2)]);
