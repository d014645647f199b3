// The parts of `npm run test:full`: what `npm test` leaves out because of its time. CI runs those of
// `CI_PARTS` after it.
import { join } from 'node:path';
import { besideLoad } from './beside-load.mjs';
import { guestTests } from './guest.mjs';
import { NODE_VERSIONS, nodeBinary } from './nodes.mjs';
import { root, tool } from './paths.mjs';
import { runVitest, WITH_SOAKS } from './vitest.mjs';

const BENCHES = [
  'spawn',
  'limits',
  'burst',
  'groups',
  'memory',
  'gojudge',
  'gojudge-host',
  'gojudge-start',
  'fifo',
  'fathom',
  'adapters',
];

const vitest = (...files) => [tool.vitest, 'run', ...files];
const script = (name, ...args) => [join(root, 'scripts', `${name}.mjs`), ...args];
const native = (...args) => [join(root, 'native/build.mjs'), ...args];

/** Of the servers and clients, which hang on Node's own more than the rest does. */
async function testsOnNewestNode() {
  const folders = ['gojudge', 'fathom', 'fifo', 'mcp', 'server', 'adapters'].map((name) => `test/${name}/`);
  const node = await nodeBinary(NODE_VERSIONS.at(-1));
  return runVitest(folders, { name: 'newest-node', node, env: WITH_SOAKS });
}

/** What CI runs of it: a part gives counts. */
export const CI_PARTS = [
  {
    name: 'integrations',
    about: 'frameworks for agents, a cluster of workers, the console in a browser',
    run: () => runVitest(['--project=integrations'], { name: 'integrations' }),
  },
  {
    name: 'soaks',
    about: 'tests of half a minute and more: floods, faults at every step, every pattern of memory',
    run: () => runVitest(['.soak.test.ts'], { name: 'soaks', env: WITH_SOAKS }),
  },
  {
    name: 'newest-node',
    about: 'tests of the servers and clients on the newest Node that we support',
    run: testsOnNewestNode,
  },
  {
    name: 'guest-chosen',
    about: 'those tests of core that cgroup v2 changes most, in the guest',
    run: () => guestTests(),
  },
];

/**
 * Each command is run by Node, with `env` beside the environment; a part has failed when one of its commands
 * has.
 */
export const PARTS = [
  ...CI_PARTS,
  { name: 'tidy', about: 'clang-tidy over native/', commands: [native('--tidy')] },
  {
    name: 'paths',
    about: '100,000 generated trees, links and paths while a program moves things',
    commands: [vitest('test/core/paths.test.ts')],
    env: { SBX_PATH_CASES: '100000' },
  },
  {
    name: 'broker-faults',
    about: '2,000 jobs of a cluster while workers, submitters and one of three brokers are killed',
    commands: [vitest('test/cluster/chaos.faults.test.ts')],
    env: { SBX_BROKER_FAULTS: '1' },
  },
  {
    name: 'beside-load',
    about: 'all tests that vitest takes, twenty times in a row beside a busy process: hours (SBX_RUNS)',
    run: () => besideLoad(),
  },
  { name: 'attacks', about: 'the whole catalogue of attacks', commands: [script('attacks')] },
  {
    name: 'attacks-user',
    about: 'the catalogue as an ordinary user',
    commands: [script('attacks', '--user', '65534')],
  },
  {
    name: 'attacks-guest',
    about: 'the catalogue in the guest with cgroup v2',
    commands: [script('attacks', '--vm')],
  },
  {
    name: 'probe',
    about: 'the prober from every kind of start, with every profile, here and in the guest',
    commands: [script('attacks', '--probe'), script('attacks', '--vm', '--probe')],
    env: { VM_TIMEOUT: '3600' },
  },
  {
    name: 'prebuilds',
    about: 'the four prebuilt pairs, built twice: no byte differs',
    commands: [script('prebuilds', '--twice')],
  },
  {
    name: 'kernels',
    about: 'chosen tests on older kernels of Debian in the guest, and the refusal by one that is too old',
    commands: [script('test-kernels')],
  },
  { name: 'musl', about: 'core, servers and command line on musl', commands: [script('test-musl')] },
  {
    name: 'arm64',
    about:
      'verdicts, limits, attacks and all three protocols on an emulated arm64 machine, with glibc and musl',
    commands: [script('test-arm64')],
  },
  { name: 'guest', about: 'all tests of core in the guest', commands: [script('test-vm', '--full')] },
  {
    name: 'fuzz-servers',
    about: '100,000 changed requests for the go-judge server, and as many changed configurations',
    commands: [vitest('test/gojudge/fuzz.test.ts', 'packages/gojudge-server/src/config/files.test.ts')],
    env: { SBX_FUZZ_RUNS: '100000' },
  },
  {
    name: 'fuzz-native',
    about: 'ten million inputs for the helper, coverage-guided, under sanitizers',
    commands: [native('--fuzz', '--executions', '10000000')],
  },
  {
    name: 'bench',
    about: 'every benchmark, and whether its bars hold; nothing else may run meanwhile',
    commands: BENCHES.map((name) => script('bench', name, '--check')),
  },
];

/** The parts of a comma-separated list, in the order of the table; throws for a name that is none. */
export function partsOf(flag, list, parts = PARTS) {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) {
    throw new Error(
      `${flag}: no part is called "${unknown}"; there are ${parts.map(({ name }) => name).join(', ')}`,
    );
  }
  return parts.filter(({ name }) => names.includes(name));
}

/** What the command line asks for: `--only` those, without `--skip` those, or all. */
export function chosenParts({ only, skip }, parts = PARTS) {
  const wanted = only === undefined ? parts : partsOf('--only', only, parts);
  const left = skip === undefined ? [] : partsOf('--skip', skip, parts);
  return wanted.filter((part) => !left.includes(part));
}

export function duration(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  const two = (number) => String(number).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
