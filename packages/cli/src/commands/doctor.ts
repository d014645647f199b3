/** `sbx doctor`: what this machine can enforce, and how to mend what it cannot. */
import { type Engine, type EngineInfo, isSbxError } from '@sbx/core';
import { languages } from '@sbx/languages';
import { machineChecks } from '../doctor/checks.js';
import { engineChecks } from '../doctor/engine-checks.js';
import { readFacts } from '../doctor/facts.js';
import { groupRepeated, titleOf } from '../doctor/groups.js';
import { languageChecks } from '../doctor/language-checks.js';
import type { Check, Trial } from '../doctor/types.js';
import { EXIT } from '../exit-codes.js';
import type { DoctorFlags } from '../flags.js';
import { openEngine } from '../open-engine.js';
import { type Colour, type Paint, painterFor, printJson } from '../terminal.js';

export async function doctorCommand({ json = false, fix = false }: DoctorFlags): Promise<number> {
  const facts = readFacts();
  const trial = await tryEngine();
  const reports = trial.kind === 'ran' ? trial.languages : [];
  const rows = [...machineChecks(facts, trial), ...engineChecks(trial), ...languageChecks(reports)];
  const checks = rows.map((check) => overruled(check, trial));
  const isFit = checks.every(({ required, state }) => !required || state !== 'missing');
  if (json) printJson({ version: 1, command: 'doctor', ok: isFit, checks, facts, engine: trial.info });
  else if (fix) printFixes(checks);
  else printChecks(checks, isFit);
  return isFit ? EXIT.ok : EXIT.failed;
}

/**
 * Opens as a user would; when that is refused, once more without demands, to be able to say what is missing.
 */
async function tryEngine(): Promise<Trial> {
  let engine: Engine;
  try {
    engine = await openEngine();
  } catch (error) {
    if (!isSbxError(error)) throw error;
    return { kind: 'refused', error, ...(await tryWithoutDemands()) };
  }
  try {
    return await tryRun(engine);
  } finally {
    await engine.close();
  }
}

async function tryRun(engine: Engine): Promise<Trial> {
  const info = engine.info();
  const started = performance.now();
  try {
    const result = await engine.run('/bin/true');
    const ms = performance.now() - started;
    return { kind: 'ran', info, result, ms, languages: result.ok ? await languages.probe(engine) : [] };
  } catch (error) {
    if (!isSbxError(error)) throw error;
    return { kind: 'opened', info, error };
  }
}

async function tryWithoutDemands(): Promise<{ info: EngineInfo | null; bareError: Error | null }> {
  try {
    const engine = await openEngine(true);
    const info = engine.info();
    await engine.close();
    return { info, bareError: null };
  } catch (error) {
    if (isSbxError(error)) return { info: null, bareError: error };
    throw error;
  }
}

/**
 * Where everything that is required works, a row that looks bad from outside was not needed on this machine.
 */
function overruled(check: Check, trial: Trial): Check {
  const works = trial.kind === 'ran' && trial.result.ok;
  const isRow = check.id !== 'run' && !check.id.startsWith('feature:');
  return works && isRow && check.state !== 'ok' ? { ...check, required: false } : check;
}

const SIGNS: Readonly<Record<Check['state'], { sign: string; colour: Colour }>> = {
  ok: { sign: 'ok     ', colour: 'green' },
  missing: { sign: 'missing', colour: 'red' },
  unknown: { sign: 'unknown', colour: 'yellow' },
};

function printChecks(checks: readonly Check[], isFit: boolean): void {
  const paint = painterFor(process.stdout);
  const lines = groupRepeated(checks).map((group) => checkText(group, paint));
  const end = isFit
    ? paint('green', 'This machine can run sandboxes with all required guarantees.')
    : paint('red', 'This machine cannot run sandboxes with all required guarantees; the fixes are above.');
  process.stdout.write(`${lines.join('')}\n${end}\n`);
}

/** For a person to read and to run, what is required first; comments say what each is for. */
function printFixes(checks: readonly Check[]): void {
  const missing = checks.filter(({ state, id }) => state === 'missing' && !id.startsWith('feature:'));
  const sorted = [
    ...missing.filter(({ required }) => required),
    ...missing.filter(({ required }) => !required),
  ];
  const lines = sorted.map(({ title, required, fix, command }) => {
    const head = `# ${title}${required ? '' : ' (optional)'}`;
    return command === undefined ? `${head}: ${fix ?? 'nothing mends it'}\n` : `${head}\n${command}\n`;
  });
  process.stdout.write(lines.join('') || '# Nothing that is needed is missing.\n');
}

/** One line when all is well; why and fix follow when not. */
function checkText(group: readonly Check[], paint: Paint): string {
  const { layer, required, state, found, fix } = group[0]!;
  const title = titleOf(group);
  const why = group
    .map((check) => (group.length === 1 ? check.why : `${check.title}: ${check.why}`))
    .join('\n              ');
  const { sign, colour } = SIGNS[state];
  const shown = state === 'missing' && !required ? paint('yellow', sign) : paint(colour, sign);
  const line = `${shown}  ${layer.padEnd(10)}  ${title}${required ? '' : ' (optional)'}: ${paint('dim', found)}\n`;
  if (state === 'ok') return line;
  return `${line}         why: ${why}\n${fix === null ? '' : `         fix: ${fix}\n`}`;
}
