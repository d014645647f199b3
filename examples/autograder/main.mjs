// Grades solutions of one problem: compiled once, run once per test, each time in a fresh sandbox.
import { compile, runArtifact } from '@sbx/languages';

const TESTS = [
  { input: '1 2\n', expected: '3' },
  { input: '20 22\n', expected: '42' },
  { input: '2000000000 2000000000\n', expected: '4000000000' },
];

const SOLUTIONS = [
  {
    name: 'right.cpp',
    language: 'cpp',
    code: '#include <iostream>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b << "\\n"; }',
  },
  {
    name: 'overflow.cpp',
    language: 'cpp',
    code: '#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << int(unsigned(a) + unsigned(b)) << "\\n"; }',
  },
  { name: 'typo.cpp', language: 'cpp', code: 'int main() { retrun 0; }' },
  { name: 'right.py', language: 'python', code: 'print(sum(map(int, input().split())))' },
  { name: 'slow.py', language: 'python', code: 'while True: pass' },
];

const LIMITS = { cpuTimeMs: 500, wallTimeMs: 10_000, memoryBytes: 64 * 2 ** 20 };

/** The verdict of the first test that it does not pass. */
async function grade({ language, code }) {
  const compilation = await compile({ language, code });
  if (!compilation.ok) return `compile error: ${compilation.result.stderr.text().split('\n')[1]}`;
  for (const [index, { input, expected }] of TESTS.entries()) {
    const result = await runArtifact(compilation.artifact, { stdin: { text: input }, limits: LIMITS });
    if (!result.ok) return `test ${index + 1}: ${result.status}`;
    if (result.stdout.text().trim() !== expected) return `test ${index + 1}: wrong answer`;
  }
  return 'accepted';
}

for (const solution of SOLUTIONS) console.log(`${solution.name}: ${await grade(solution)}`);
