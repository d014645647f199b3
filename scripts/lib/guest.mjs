// Tests of core on a kernel with pure cgroup v2, in an emulated guest.
import { join } from 'node:path';
import { buildPrograms } from '../../test/programs/build.mjs';
import { root } from './paths.mjs';
import { runVitest } from './vitest.mjs';

/**
 * What differs most between cgroup v1 and v2: verdicts, limits, clean-up, several programs in one sandbox.
 */
const CHOSEN = [
  ...[
    'verdicts',
    'limits',
    'supervision',
    'sessions',
    'groups',
    'isolation',
    'predecessors',
    'descriptor-list',
    'names',
    'order-of-kills',
  ].map((name) => `test/core/${name}.test.ts`),
  'test/vm',
];

/** Starting a process takes about twenty times as long there, computing about eight times. */
const PACE = 6;
const TEST_MS = 120_000;
const GUEST_SECONDS = 1500;

/** How a command is run there. */
export const GUEST = {
  wrapper: [join(root, 'test/vm/run-in-vm')],
  env: {
    SBX_GUEST: '1',
    SBX_TEST_PACE: String(PACE),
    VM_TIMEOUT: process.env.VM_TIMEOUT ?? String(GUEST_SECONDS),
  },
};

/** Counts of `files`, or of the chosen ones. `env` is added: settings of test/vm/run-in-vm. */
export async function guestTests(files = CHOSEN, { env = {} } = {}) {
  if (process.getuid() !== 0) {
    console.error('The guest shares this machine’s files, which needs root: its tests are skipped.');
    return { passed: 0, failed: 0, skipped: 1 };
  }
  buildPrograms(); // out here, where the compiler is fast
  return runVitest([`--test-timeout=${TEST_MS}`, `--hook-timeout=${TEST_MS}`, ...files], {
    name: 'vitest-vm',
    ...GUEST,
    env: { ...GUEST.env, ...env },
  });
}
