// LangChain's own tests of a sandbox backend (PyPI `langchain-tests`, with `deepagents`), over a bridge to
// the adapter.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSuite } from '../helpers/foreign.js';

const tests = join(import.meta.dirname, 'langchain/test_sandbox.py');

/**
 * What the two packages do not agree about: each of these is the work of `BaseSandbox` of deepagents 0.7.32
 * alone, over `execute` and `upload_files`, which did what they were asked.
 */
const ABSOLUTE_PATHS = '`glob` gives absolute paths, on purpose; the test wants them relative';
const MISMATCHES: Record<string, string> = {
  test_glob: ABSOLUTE_PATHS,
  test_glob_basic_pattern: ABSOLUTE_PATHS,
  test_glob_hidden_files_explicitly: ABSOLUTE_PATHS,
  test_glob_with_character_class: ABSOLUTE_PATHS,
  test_glob_with_question_mark: ABSOLUTE_PATHS,
  test_glob_with_directories: '`glob` gives files only; the test wants folders, too',
  test_write_existing_file_fails: '`write` replaces what is there, as it says; the test wants an error',
};

const PASSED_COUNT = 79;

test('all of them pass but those that the two packages disagree about', { timeout: 600_000 }, async () => {
  const options = ['-p', 'no:cacheprovider', '--asyncio-mode=auto', '--tb=short', '-q', '-rA'];
  const env = { PATH: process.env.PATH, SBX_NODE: process.execPath, PYTHONDONTWRITEBYTECODE: '1' };
  const { output } = await runSuite('langchain-tests', [...options, tests], env);
  const named = (state: string) =>
    [...output.matchAll(new RegExp(`^${state} \\S+::(\\w+)`, 'gm'))].map(([, name]) => name!).sort();
  expect(named('FAILED'), output).toEqual(Object.keys(MISMATCHES).sort());
  expect([named('ERROR'), named('SKIPPED')], output).toEqual([[], []]);
  expect(named('PASSED').length).toBe(PASSED_COUNT);
});
