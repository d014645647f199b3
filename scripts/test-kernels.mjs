// `npm run test:kernels`: what has to hold on each kernel of the matrix, in the guest; `-- VERSION…` on
// those, `-- --source FOLDER` on a kernel built from that tree of Linux. One that is too old has to be
// refused by name.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { countLine } from './lib/counts.mjs';
import { GUEST, guestTests } from './lib/guest.mjs';
import { buildKernel } from './lib/kernel-source.mjs';
import { KERNELS, provideKernel } from './lib/kernels.mjs';
import { root } from './lib/paths.mjs';
import { setup } from './lib/setup.mjs';

/** What stands on features of the kernel: verdicts, limits, the walls, and the order of kills. */
const FILES = ['verdicts', 'limits', 'isolation', 'sessions', 'order-of-kills'].map(
  (name) => `test/core/${name}.test.ts`,
);

async function refusal(kernel) {
  const command = [process.execPath, join(root, 'test/vm/refused.mjs')];
  const env = { ...process.env, ...GUEST.env, VM_KERNEL: kernel.package };
  try {
    await promisify(execFile)(GUEST.wrapper[0], command, { cwd: root, env });
    return { passed: 1, failed: 0, skipped: 0 };
  } catch (error) {
    console.error(error.stdout + error.stderr);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** Those that the command line names, or all of the matrix. */
async function wantedKernels() {
  const options = { source: { type: 'string' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.filter((version) => !KERNELS.some((kernel) => kernel.version === version));
  if (unknown.length > 0) {
    const known = KERNELS.map(({ version }) => version).join(', ');
    console.error(`Kernels are ${known}: "${unknown.join(', ')}" is none. Others: --source FOLDER.`);
    process.exit(2);
  }
  const built = values.source === undefined ? [] : [await buildKernel(values.source)];
  const isAll = positionals.length === 0 && built.length === 0;
  const named = KERNELS.filter(({ version }) => isAll || positionals.includes(version));
  for (const kernel of named) await provideKernel(kernel);
  return [...built, ...named];
}

await setup();
const lines = [];
for (const kernel of await wantedKernels()) {
  const env = { VM_KERNEL: kernel.package };
  const counts = kernel.isRefused ? await refusal(kernel) : await guestTests(FILES, { env });
  if (counts.failed > 0) process.exitCode = 1;
  lines.push(`Linux ${kernel.version}${kernel.isRefused ? ', too old' : ''}: ${countLine(counts)}`);
}
console.log(`\n${lines.join('\n')}`);
