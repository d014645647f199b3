/**
 * The programs of the tour and what must become of them. `sources` maps a language to a file of `programs/`.
 */

/** How a run may end, as it is written in the table. */
const exit = (exitCode) => ({ text: `exit ${exitCode}`, status: 'exit', exitCode });
const signal = (exitSignal) => ({ text: exitSignal, status: 'signal', exitSignal });
/** `limits`: over those of all. */
const limit = (status, limits = {}) => ({ text: status, status, limits });
const says = (stdout) => ({ text: `says ${stdout}`, status: 'ok', stdout: `${stdout}\n` });

const ENDINGS = { cpp: 'cpp', python: 'py', javascript: 'js', shell: 'sh' };

/** One case per language, from files of the same name. */
function inEach(title, name, expected) {
  return Object.entries(ENDINGS).map(([language, ending]) => ({
    title,
    language,
    source: `${name}.${ending}`,
    expected: expected[language] ?? expected,
  }));
}

export const CASES = [
  // Graded on every test of lis/: the answer must be right, and the figures are the highest of all tests.
  ...Object.entries(ENDINGS).map(([language, ending]) => ({
    title: 'correct solution',
    language,
    source: `lis/solution.${ending}`,
    tests: 'lis',
    expected: { text: 'accepted', accepted: true },
  })),
  {
    title: 'wrong answer',
    language: 'python',
    source: 'lis/wrong.py',
    tests: 'lis',
    expected: { text: 'wrong answer', accepted: false },
  },
  {
    title: 'does not compile',
    language: 'cpp',
    source: 'compile-error.cpp',
    expected: { text: 'compile error', stage: 'compile', status: 'exit' },
  },
  ...inEach('wrong exit', 'exit', { cpp: exit(3), python: exit(1), javascript: exit(7), shell: exit(5) }),
  ...inEach('crash', 'crash', {
    cpp: signal('SIGSEGV'),
    python: signal('SIGSEGV'),
    javascript: signal('SIGABRT'),
    shell: signal('SIGFPE'),
  }),
  ...inEach('endless loop', 'loop', {
    cpp: limit('cpu-limit'),
    python: limit('cpu-limit'),
    javascript: limit('cpu-limit'),
    shell: limit('wall-limit', { wallTimeMs: 3000 }),
  }),
  ...inEach('memory hog', 'memory-hog', limit('memory-limit')),
  ...inEach('fork bomb', 'fork-bomb', {
    // The kernel keeps something of each refused fork for a while.
    cpp: limit('cpu-limit', { memoryBytes: 2 ** 30 }),
    python: says('refused'),
    javascript: says('refused'),
    shell: exit(2),
  }),
  ...inEach('output flood', 'flood', limit('output-limit')),
  ...inEach('reads /etc/shadow', 'shadow', says('refused')),
  ...inEach('opens the network', 'network', says('refused')),
];

export const LIMITS = {
  cpuTimeMs: 1000,
  wallTimeMs: 10_000,
  memoryBytes: 128 * 2 ** 20,
  processCount: 32,
  outputBytes: 64 * 2 ** 10,
};
