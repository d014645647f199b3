// `npm run prebuilds`: addon and helper for every platform that the package serves, as they are packed.
// `-- --twice`: builds each a second time, and fails when a byte differs.
import { makePrebuilds } from './lib/prebuilds.mjs';
import { setup } from './lib/setup.mjs';

await setup();
await makePrebuilds({ again: process.argv.includes('--twice') });
