// `npm run test:arm64`: what has to hold on arm64, in an emulated machine; see test/arm64/guest.mjs.
import { runOnArm64 } from './lib/arm64.mjs';
import { makePrebuilds } from './lib/prebuilds.mjs';
import { setup } from './lib/setup.mjs';

await setup();
await makePrebuilds({ only: 'linux-arm64-glibc' });
const status = await runOnArm64('test/arm64/guest.mjs');
if (status === null) console.error('The arm64 machine ended before the tests did.');
process.exitCode = status ?? 1;
