/**
 * One entry against one target: its cases or its own scenario, then Z1–Z9. What is acceptable is in the
 * entry; what must hold after each of them is here and in remains.mjs.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { runCase, specOf } from './cases.mjs';
import { nowMs } from './cpu-watch.mjs';
import { unexpectedLines } from './kernel-log.mjs';
import { missingFor } from './needs.mjs';
import { describeOutcome } from './outcome.mjs';
import { paced } from './pace.mjs';
import { Remains } from './remains.mjs';

/** Z7: from the end of the program, or the limit that ended it, to the reply. */
const REPLY_MS = paced(300);

/** What cases and scenarios are handed. */
class Context {
  outcomes = [];
  notes = [];

  constructor(target, world, entry) {
    Object.assign(this, { target, world, entry });
  }

  /** Runs a case and remembers its outcome for Z7 and the report. */
  run = async (one, more = {}) => {
    const spec = { ...specOf(one), ...more };
    const from = nowMs();
    const result = { ...(await this.target.run(spec)), awayMs: this.world.cpus.awayMs(from) };
    this.outcomes.push({ result, queued: spec.queued === true });
    return result;
  };

  /** Runs a case and returns what is wrong with its outcome. */
  check = async (one) => (await runCase(this, one)).problems;

  /** For the report, when there is no outcome of a run. */
  note = (text) => {
    this.notes.push(text);
  };
}

/** Z8: sees a fresh world, in its normal time. */
async function helloProblems(target, spareMs) {
  const problems = [];
  for (let sandbox = 0; sandbox < 2; sandbox += 1) {
    const hello = await target.hello();
    if (hello.verdict !== 'AC' || hello.stdout !== 'hello\n') {
      problems.push(`Z8 hello: ${describeOutcome(hello)} ${JSON.stringify(hello.stdout + hello.stderr)}`);
    } else if (hello.replyMs > REPLY_MS + spareMs) {
      problems.push(`Z8 hello took ${Math.round(hello.replyMs)} ms`);
    }
  }
  return problems;
}

function replyProblems(context, spareMs) {
  return context.outcomes
    .filter(
      ({ result, queued }) => !queued && result.replyMs - result.wallMs > REPLY_MS + spareMs + result.awayMs,
    )
    .map(({ result }) => `Z7 the reply came ${Math.round(result.replyMs - result.wallMs)} ms late`)
    .slice(0, 1);
}

async function attack(context) {
  const { entry, target } = context;
  const problems = [];
  for (const one of entry.cases ?? []) {
    if (one.on !== undefined && one.on !== target.name) continue;
    const found = await context.check(one);
    problems.push(...found.map((text) => (entry.cases.length > 1 ? `[${titleOf(one)}] ${text}` : text)));
  }
  if (entry.attack !== undefined) problems.push(...((await entry.attack(context)) ?? []));
  return problems;
}

const titleOf = (one) =>
  one.title ??
  [one.c ?? one.t ?? (one.py ? 'python' : one.sh ? 'shell' : one.argv?.[0]), ...(one.args ?? [])].join(' ');

/** → `{ pass, why, outcome }`. */
export async function runEntry(entry, target, world, kernelLog) {
  const context = new Context(target, world, entry);
  const inapplicable = entry.applies?.(context) ?? missingFor(entry, world);
  if (inapplicable) return { pass: null, why: inapplicable, outcome: 'not run' };
  const remains = new Remains(target);
  await remains.note();
  kernelLog.read();
  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  const problems = await attack(context).catch((error) => [
    `the attack itself failed: ${error?.stack ?? error}`,
  ]);
  lag.disable();
  // How long this process itself was kept from the CPU: replies cannot have been read earlier.
  const spareMs = lag.max / 1e6;
  problems.push(...replyProblems(context, spareMs));
  problems.push(...(await remains.problems()));
  problems.push(...(await helloProblems(target, spareMs)));
  problems.push(
    ...unexpectedLines(kernelLog.read())
      .slice(0, 3)
      .map((line) => `Z9 ${line}`),
  );
  return { pass: problems.length === 0, why: problems.join('; '), outcome: summary(context) };
}

function summary({ outcomes, notes }) {
  const words = new Map();
  for (const { result } of outcomes) words.set(result.verdict, (words.get(result.verdict) ?? 0) + 1);
  if (outcomes.length === 1) return describeOutcome(outcomes[0].result);
  return [...[...words].map(([word, count]) => (count === 1 ? word : `${count} × ${word}`)), ...notes].join(
    ', ',
  );
}
