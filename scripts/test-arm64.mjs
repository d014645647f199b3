// `npm run test:arm64`: what has to hold on arm64, in an emulated machine, with each C library (`-- musl`
// with that one); see test/arm64/guest.mjs.
import { runOnArm64 } from './lib/arm64.mjs';
import { makePrebuilds } from './lib/prebuilds.mjs';
import { setup } from './lib/setup.mjs';

await setup();
for (const libc of ['glibc', 'musl']) {
  if (process.argv.length > 2 && !process.argv.includes(libc)) continue;
  console.log(`arm64, ${libc}`);
  await makePrebuilds({ only: `linux-arm64-${libc}` });
  const status = await runOnArm64('test/arm64/guest.mjs', { libc });
  if (status === null) console.error('The arm64 machine ended before the tests did.');
  if (status !== 0) process.exitCode = status ?? 1;
}
