// Static analysers: gcc's over the helper, clang-tidy over everything.
import { execFile, execFileSync } from 'node:child_process';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import { severalAtATime } from './several.mjs';
import {
  addon,
  compileForWarnings,
  forCompiling,
  helper,
  here,
  sources,
  versionOfTables,
} from './targets.mjs';

const clangTidy = process.env.CLANG_TIDY ?? 'clang-tidy';

// The analyser of clang does not believe that inline assembly writes where it is told to: so it sees system
// calls as functions.
const asFunctions = '-DSBX_FAKE_KERNEL';

/** Every source once, the flags that it is compiled with, and what differs from the checks of .clang-tidy. */
function everySource() {
  const inHelper = ['common', 'plan', 'helper'].flatMap(sources);
  const inAddon = sources('addon');
  return [
    ...inHelper.map((file) => ({ file, flags: forCompiling(helper.flags) })),
    ...inAddon.map((file) => ({ file, flags: forCompiling(addon().flags) })),
    ...sources('fuzz').map((file) => ({ file, flags: [versionOfTables] })),
    // Without the analyser, which takes minutes for each table of cases: tests run under sanitizers, so what
    // they do is seen there; and they have one thread.
    ...sources('test').map((file) => ({
      file,
      flags: [versionOfTables],
      checks: '-clang-analyzer-*,-concurrency-mt-unsafe',
    })),
  ];
}

// Of the sanitizers, which clang's own package lacks. After all others: most of gcc's headers are not for
// clang.
const headersOfGcc = () => [
  '-idirafter',
  execFileSync('gcc', ['-print-file-name=include'], { encoding: 'utf8' }).trim(),
];

async function checkWithTidy({ file, flags, checks = '' }) {
  const known = [
    '-std=c++20',
    '-Wno-missing-field-initializers',
    '-Wno-unknown-warning-option',
    asFunctions,
    ...headersOfGcc(),
  ];
  const clean = ['--quiet', '--warnings-as-errors=*', `--checks=${checks}`, file, '--', ...flags, ...known];
  await promisify(execFile)(clangTidy, clean, { maxBuffer: 2 ** 26 });
}

/** Several at a time; each is named with its time, and with what was found → 0 when nothing was. */
async function checkAll(all, check) {
  let found = 0;
  await severalAtATime(all, async (one) => {
    const start = performance.now();
    const error = await check(one).then(
      () => undefined,
      (reason) => reason,
    );
    const time = `${((performance.now() - start) / 1000).toFixed(1)} s`;
    console.log(`${relative(here, one.file)}: ${error === undefined ? 'clean' : 'FOUND'}, ${time}`);
    if (error === undefined) return;
    found += 1;
    if (error.code === 'ENOENT') throw new Error(`${error.path} is not there: apt-get install clang-tidy`);
    console.log(`${error.stdout ?? ''}${error.stderr ?? error}`);
  });
  console.log(`${all.length} sources, ${found} with findings`);
  return found === 0 ? 0 : 1;
}

/** Only of the helper: gcc's analyser is made for C, and the helper is nearly that. */
export const analyze = () =>
  checkAll(
    helper.sources.map((file) => ({ file })),
    ({ file }) => compileForWarnings(file, [...forCompiling(helper.flags), '-fanalyzer']),
  );

export const tidy = () => checkAll(everySource(), checkWithTidy);
