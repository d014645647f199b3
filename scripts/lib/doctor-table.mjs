// Every check of `sbx doctor` in words, as the checks themselves say it of two machines on which nothing is
// as it should be: one with an ordinary user and cgroup v2, one with root and v1.
import { importSources } from './package-source.mjs';

const [{ machineChecks }, { engineChecks }, { languageChecks }] = await importSources(
  'cli',
  'doctor/checks',
  'doctor/engine-checks',
  'doctor/language-checks',
);
const [{ FEATURES }] = await importSources('core', 'types/limits');

const FACTS = {
  platform: 'none',
  arch: 'none',
  glibc: null,
  node: '0.0.0',
  kernel: '0.0.0',
  hasSysAdmin: false,
  maxUserNamespaces: 0,
  unprivilegedUsernsClone: 0,
  apparmorRestrictsUserns: 1,
  seccompMode: 0,
  canFilterSyscalls: false,
  container: null,
  hasSystemd: true,
  swapBytes: 1,
  memoryBytes: 2 ** 30,
  cpus: 8,
  corePattern: '@',
  moduleLoader: '/',
};
const machine = (uid, version) => ({
  ...FACTS,
  uid,
  cgroup: { version, controllers: [], folders: [], unwritable: ['/'], hasSwapLimit: false, tasksMax: 256 },
});

const failure = (message) => Object.assign(new Error(message), { hint: 'What the error under it says.' });
const TRIAL = {
  kind: 'refused',
  error: failure('not with the guarantees that are required'),
  bareError: failure('not at all'),
  info: { features: Object.fromEntries(FEATURES.map((name) => [name, { available: false }])) },
};
const LANGUAGE = { name: 'NAME', title: 'NAME', available: false, debianPackage: 'PACKAGE' };

const checksOf = (facts) => [
  ...machineChecks(facts, TRIAL),
  ...engineChecks(TRIAL),
  ...languageChecks([LANGUAGE]),
];

/** Whether the check decides about the exit code. */
function requiredWord(byUser, byRoot) {
  if (byUser?.required) return byRoot?.required ? 'yes' : 'as an ordinary user';
  return byRoot?.required ? 'as root' : 'no';
}

/** A row for each check, in doctor's order, with every fix that it can print. */
export function doctorRows() {
  const [user, root] = [machine(1000, 'v2'), machine(0, 'v1')].map(
    (facts) => new Map(checksOf(facts).map((check) => [check.id, check])),
  );
  // Root has rows that an ordinary user has not; the order is that of the layers.
  return [...root.values()].map(({ id, title, why, fix }) => ({
    id,
    title,
    why,
    required: requiredWord(user.get(id), root.get(id)),
    fixes: [...new Set([user.get(id)?.fix, fix])].filter(Boolean),
  }));
}
