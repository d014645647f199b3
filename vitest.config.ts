import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const shared = {
  // Own processes: tests count descriptors, children and memory of the process they run in.
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 30_000,
  retry: 0,
  // Built packages are loaded by Node itself, as users load them, and quicker than through Vite.
  server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
  // CI's log has the message only: it should say what was in a list, and not how long it was.
  chaiConfig: { truncateThreshold: 2_000 },
};
// Vitest leaves one CPU to its own process, which waits while the tests run: units and rules take all of
// them.
const parallel = { maxWorkers: availableParallelism(), isolate: false };
// Node 20 has no `await using`: lower it as the published build does.
const oxc = { target: 'es2022' };

/** Frameworks, many machines, browsers. */
const INTEGRATIONS = ['test/adapters/**', 'test/cluster/**', 'test/console/**'];
/** The engine and what measures it: their times and memory are to be their own. */
const ALONE = [
  ...['attacks', 'core', 'deploy'].map((folder) => `test/${folder}/**/*.test.ts`),
  'test/fifo/accuracy.test.ts',
  'test/fifo/many.test.ts',
  'test/**/*.soak.test.ts',
];
/** Each has an engine, its programs and often a server: more at once would be a load test. */
const TOGETHER_MAX = 4;
/** Half a minute and more each; `npm run test:full` and `npm test -- NAME` take them. */
const notAsked = [
  ...(process.env.SBX_SOAK === '1' ? [] : ['test/**/*.soak.test.ts']),
  ...(process.env.SBX_BROKER_FAULTS === '1' ? [] : ['test/**/*.faults.test.ts']),
];

export default defineConfig({
  test: {
    projects: [
      {
        oxc,
        test: {
          ...shared,
          // Beside what they test, which they import from its source.
          name: 'unit',
          // They leave nothing behind, so that what they load is loaded once in each worker and not once in
          // each file.
          include: ['packages/*/src/**/*.test.ts', 'packages/*/site/**/*.test.ts', 'scripts/**/*.test.mjs'],
          ...parallel,
          sequence: { groupOrder: 0 },
        },
      },
      {
        oxc,
        test: {
          ...shared,
          // The rules of the tree. They only read, and load TypeScript's compiler once in each worker instead
          // of once in each file.
          name: 'tidy',
          include: ['test/tidy/**/*.test.ts'],
          ...parallel,
          // Not in turn with the units: a worker is kept for files of one project only.
          sequence: { groupOrder: 1 },
        },
      },
      {
        oxc,
        test: {
          ...shared,
          // Across packages, imported as built, as users do: servers, clients, languages, command line.
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: ['test/tidy/**', ...ALONE, ...INTEGRATIONS, ...notAsked],
          maxWorkers: Math.min(TOGETHER_MAX, availableParallelism()),
          sequence: { groupOrder: 2 },
        },
      },
      {
        oxc,
        test: {
          ...shared,
          // As `whole`, one file at a time.
          name: 'alone',
          // In the guest (scripts/lib/guest.mjs) also what is only possible there.
          include: [...ALONE, ...(process.env.SBX_GUEST === '1' ? ['test/vm/*.guest.ts'] : [])],
          exclude: [...INTEGRATIONS, ...notAsked],
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        oxc,
        test: {
          ...shared,
          // As `alone`: what is built around engine and protocols. `npm run test:full` and CI take it.
          name: 'integrations',
          include: INTEGRATIONS.map((folder) => `${folder}/*.test.ts`),
          exclude: notAsked,
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
