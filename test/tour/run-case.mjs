/** One program of the tour: compile, run, compare. */
import { readdirSync, readFileSync } from 'node:fs';
import { compile, runArtifact } from '@sbx/languages';
import { LIMITS } from './cases.mjs';

const programs = new URL('programs/', import.meta.url);
const read = (path) => readFileSync(new URL(path, programs), 'utf8');

/** A row of the table. What the sandbox itself could not do becomes a row too, as something unexpected. */
export async function runCase(engine, entry, trap) {
  const { title, language, expected } = entry;
  try {
    const outcome = await outcomeOf(engine, entry, trap);
    return { title, language, expected: expected.text, ...outcome };
  } catch (error) {
    const came = error.code ?? error.name;
    return { title, language, expected: expected.text, came, asExpected: false, detail: error.message };
  }
}

async function outcomeOf(engine, { language, source, tests, expected }, trap) {
  const compilation = await compile({ engine, language, code: read(source) });
  if (!compilation.ok) return judge(expected, 'compile', [compilation.result]);
  if (tests !== undefined) return grade(engine, compilation.artifact, tests, expected);
  const limits = { ...LIMITS, ...expected.limits };
  const result = await runArtifact(compilation.artifact, { engine, args: [`${trap.port}`], limits });
  return judge(expected, 'run', [result]);
}

/** Every test in a fresh sandbox, all with the one artifact. */
async function grade(engine, artifact, folder, expected) {
  const names = readdirSync(new URL(folder, programs)).filter((name) => name.endsWith('.in'));
  const runs = names.map(async (name) => {
    const result = await runArtifact(artifact, {
      engine,
      stdin: { text: read(`${folder}/${name}`) },
      limits: LIMITS,
    });
    const isRight = result.ok && result.stdout.text() === read(`${folder}/${name.replace('.in', '.out')}`);
    return { result, isRight };
  });
  const graded = await Promise.all(runs);
  const right = graded.filter(({ isRight }) => isRight).length;
  const accepted = right === names.length;
  const came = `${accepted ? 'accepted' : 'wrong answer'} ${right}/${names.length}`;
  const results = graded.map(({ result }) => result);
  return { ...figures(results), came, asExpected: accepted === expected.accepted, detail: detailOf(results) };
}

/** Compares every fact that the case names. */
function judge(expected, stage, [result]) {
  const facts = { stage, status: result.status, exitCode: result.exitCode, exitSignal: result.exitSignal };
  const { text: _text, limits: _limits, stdout, ...named } = expected;
  const isFate = Object.entries({ stage: 'run', ...named }).every(([key, value]) => facts[key] === value);
  const asExpected = isFate && (stdout === undefined || result.stdout.text() === stdout);
  return {
    ...figures([result]),
    came: fateText(stage, result, stdout),
    asExpected,
    detail: detailOf([result]),
  };
}

function fateText(stage, { status, exitCode, exitSignal, stdout }, wanted) {
  if (stage === 'compile') return 'compile error';
  if (status === 'exit') return `exit ${exitCode}`;
  if (status === 'signal') return exitSignal;
  return status === 'ok' && wanted !== undefined ? `says ${stdout.text().trim().slice(0, 20)}` : status;
}

/** The highest figure of each kind. */
function figures(results) {
  const most = (key) => Math.max(...results.map(({ usage }) => usage[key] ?? 0));
  return {
    status: results.find(({ ok }) => !ok)?.status ?? 'ok',
    cpuMs: most('cpuTimeMs'),
    wallMs: most('wallTimeMs'),
    memoryBytes: most('memoryPeakBytes'),
    processes: most('processPeakCount'),
  };
}

function detailOf(results) {
  const texts = results.map(({ stderr }) => stderr.text().slice(0, 2000));
  return texts.find((text) => text !== '') ?? '';
}
