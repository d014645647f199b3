// `npm run test:musl`: the chosen tests on a Node that is linked against musl; `-- FILE…` those.
import { countLine } from './lib/counts.mjs';
import { muslNode, rolldownBinding } from './lib/musl.mjs';
import { makePrebuilds } from './lib/prebuilds.mjs';
import { setup } from './lib/setup.mjs';
import { runVitest } from './lib/vitest.mjs';

/**
 * Whatever crosses between addon, helper and Node: runs, files, streams, descriptors, terminals, errors, both
 * servers, the command line.
 */
const CHOSEN = [
  ...[
    'verdicts',
    'limits',
    'files',
    'spawn',
    'groups',
    'terminal',
    'sessions',
    'isolation',
    'descriptors',
    'errors',
    'standby',
    'rootless',
  ].map((name) => `test/core/${name}.test.ts`),
  'packages/core/src/native.test.ts',
  'packages/core/src/prebuilt.test.ts',
  'test/cli',
  'test/fathom',
  'test/gojudge',
  'test/fifo',
];

await setup();
await makePrebuilds({ only: 'linux-x64-musl' });
const files = process.argv.slice(2);
const node = await muslNode();
const counts = await runVitest(files.length > 0 ? files : CHOSEN, {
  name: 'vitest-musl',
  node,
  env: { NAPI_RS_NATIVE_LIBRARY_PATH: await rolldownBinding('linux-x64-musl') },
});
if (counts.failed > 0) process.exitCode = 1;
console.log(`\n${countLine(counts)}`);
