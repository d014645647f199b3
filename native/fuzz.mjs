// Runs the fuzzer of native/fuzz: for some seconds, for minutes, or until so many inputs have been executed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { buildFuzzer, fuzzFolder, here } from './targets.mjs';

const corpusOf = (target) => join(here, 'fuzz/corpus', `${target}.txt`);
const crashOf = (target, job) =>
  join(fuzzFolder, job === undefined ? `crash-${target}` : `crash-${target}-${job}`);

/**
 * → the exit code, 128 + n after signal n. The fuzzer writes down how far it is at a signal, and we wait for
 * that.
 */
function run(file, args, stop) {
  const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const end = () => child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end);
  stop?.addEventListener('abort', end);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const name of ['SIGINT', 'SIGTERM']) process.off(name, end);
      stop?.removeEventListener('abort', end);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** What has failed before runs first, alone: true when it does not fail any more, or there is none. */
async function crashIsMended(fuzzer, target, crash) {
  if (!existsSync(crash)) return true;
  if ((await run(fuzzer, [target, '--crash', crash])) !== 0) return false;
  rmSync(crash);
  return true;
}

/** Seconds by target → 0 when nothing was found. `keep`: what was learnt goes into the corpus. */
async function fuzzFor(seconds, { keep = false, seed = 1 } = {}) {
  const fuzzer = await buildFuzzer();
  const codes = [];
  for (const [target, time] of Object.entries(seconds)) {
    const corpus = corpusOf(target);
    const crash = crashOf(target);
    if (!(await crashIsMended(fuzzer, target, crash))) return 1;
    const kept = keep ? ['--keep', corpus] : [];
    const args = ['--seconds', `${time}`, '--seed', `${seed}`, '--corpus', corpus, ...kept];
    codes.push(await run(fuzzer, [target, ...args, '--crash', crash]));
  }
  return Math.max(...codes);
}

/** Some seconds, of every test run. */
export const fuzzShort = () => fuzzFor({ helper: 6, counters: 2 });

export function fuzzMinutes(minutes) {
  const seed = Date.now() % 2 ** 32;
  console.log(`seed ${seed}`);
  return fuzzFor({ helper: minutes * 54, counters: minutes * 6 }, { keep: true, seed });
}

/**
 * The helper, `executions` times in `jobs` processes → 0 when nothing was found; else the input that failed
 * is named. Interrupted, the same command goes on where it was; with another build it begins anew, for what
 * was executed then says nothing of it.
 */
export async function fuzzExecutions(executions, jobs) {
  const fuzzer = await buildFuzzer();
  const build = createHash('sha256').update(readFileSync(fuzzer)).digest('hex').slice(0, 12);
  const work = join(fuzzFolder, `work-${build}`);
  mkdirSync(work, { recursive: true });
  const corpus = corpusOf('helper');
  console.log(`${executions} executions in ${jobs} processes, written down every minute in ${work}`);

  const stopOthers = new AbortController();
  async function runJob(job) {
    const crash = crashOf('helper', job);
    const again = `${fuzzer} helper --crash ${crash}`;
    if (!(await crashIsMended(fuzzer, 'helper', crash))) {
      console.error(`still wrong: ${again}`);
      return 1;
    }
    const amount = ['--executions', `${Math.ceil(executions / jobs)}`];
    // Another seed when it goes on: the same would try the same once more.
    const seed = ['--seed', `${(Date.now() + job) % 2 ** 32}`];
    const files = ['--corpus', corpus, '--work', join(work, `helper-${job}.txt`), '--crash', crash];
    const code = await run(fuzzer, ['helper', ...amount, ...seed, ...files], stopOthers.signal);
    if (code !== 0) stopOthers.abort();
    if (existsSync(crash)) console.error(`wrong: ${again} runs it again`);
    return code;
  }
  const worst = Math.max(...(await Promise.all(Array.from({ length: jobs }, (_, job) => runJob(job)))));
  if (worst !== 0) return worst;
  const found = readdirSync(work).flatMap((name) => ['--corpus', join(work, name)]);
  return run(fuzzer, ['helper', '--seconds', '0', '--corpus', corpus, ...found, '--keep', corpus]);
}
