// Runs vitest in plain sight and counts what its report says.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { scratch, tool } from './paths.mjs';
import { runInSight } from './run.mjs';

const NO_REPORT = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
};

/** A file that failed as a whole, none of its tests being to blame. */
function didNotLoad({ status, assertionResults }) {
  return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
}

const MESSAGE_CHARS = 1000;

const ownLines = (message) => message.replaceAll(/\n.*node_modules.*/g, '');

/** What failed and why, short enough to stand at the end of a long output. */
function failuresOf({ testResults }) {
  const whole = testResults.filter(didNotLoad).map(({ name, message }) => [name, message]);
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => [`${name}: ${test.fullName}`, test.failureMessages.join('\n')]),
  );
  return [...whole, ...tests].map(([what, why]) => `${what}\n${ownLines(why ?? '').slice(0, MESSAGE_CHARS)}`);
}

/** The environment in which vitest.config.ts takes the long tests, too. */
export const WITH_SOAKS = { SBX_SOAK: '1' };

/**
 * `wrapper` is a command that runs the one given to it as arguments, elsewhere; `node` the Node to run on;
 * `name` tells reports apart.
 */
export async function runVitest(
  args,
  { name = 'vitest', wrapper = [], node = process.execPath, env = {} } = {},
) {
  const file = join(scratch, `${name}.json`);
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const [command, ...rest] = [...wrapper, node, tool.vitest, 'run', ...reporters, ...args];
  const code = await runInSight(command, rest, { env: { ...process.env, ...env } });
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : NO_REPORT;
  const failed = report.numFailedTests + report.testResults.filter(didNotLoad).length;
  return {
    passed: report.numPassedTests,
    // An error outside of any test fails the run all the same.
    failed: code !== 0 && failed === 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: failuresOf(report),
  };
}
