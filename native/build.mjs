/**
 * Builds the helper and the addon with g++ alone: no node-gyp, no download. Results go into the package that
 * ships them. Other compilers: set CXX.
 *   --test      builds the native tests under AddressSanitizer and UBSan, runs them, and fuzzes for seconds
 *   --analyze   gcc's static analyser over the helper
 *   --tidy      clang-tidy over all of native/, with the checks of native/.clang-tidy; takes minutes
 *   --fuzz      fuzzes: `--minutes N` (10), or `--executions N [--jobs N]`; what it learns is kept in
 *               fuzz/corpus
 *   --faults    a helper whose steps and an addon whose system calls can be made to fail, into build/faults
 *               (see helper/faults.h, common/call_faults.h)
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { analyze, tidy } from './analysis.mjs';
import { fuzzExecutions, fuzzMinutes, fuzzShort } from './fuzz.mjs';
import { typescriptSources } from './protocol/typescript.mjs';
import { addon, addonWithFaults, compile, helper, helperWithFaults, root, test } from './targets.mjs';

const flag = { type: 'boolean', default: false };
const number = { type: 'string' };
const modes = { test: flag, analyze: flag, tidy: flag, fuzz: flag, faults: flag };
const options = { ...modes, minutes: number, executions: number, jobs: number };
const { values } = parseArgs({ options });

function wholeNumber(name, fallback) {
  const value = Number(values[name] ?? fallback);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  console.error(`--${name} must be a whole number from 1 on, not "${values[name]}"`);
  process.exit(2);
}

async function buildWithFaults() {
  await compile(helperWithFaults());
  await compile(addonWithFaults());
  return 0;
}

async function runTests() {
  await compile(test);
  const { status } = spawnSync(test.output, [], { stdio: ['ignore', 'inherit', 'inherit'] });
  return status === 0 ? await fuzzShort() : (status ?? 1); // null: it was killed
}

const fuzz = () =>
  values.executions === undefined
    ? fuzzMinutes(wholeNumber('minutes', 10))
    : fuzzExecutions(wholeNumber('executions'), wholeNumber('jobs', availableParallelism()));

/** Only what differs: a file that is written makes a watching compiler start again. */
function writeTypescript() {
  for (const [name, source] of Object.entries(typescriptSources())) {
    const path = join(root, 'packages/core/src', name);
    if (!existsSync(path) || readFileSync(path, 'utf8') !== source) writeFileSync(path, source);
  }
}

async function build() {
  writeTypescript();
  await compile(helper);
  await compile(addon());
  return 0;
}

const MODES = { test: runTests, analyze, tidy, fuzz, faults: buildWithFaults };
const mode = Object.keys(MODES).find((name) => values[name]);
process.exitCode = await (mode === undefined ? build : MODES[mode])();
