/** What a connection is told first: engine, guarantees, languages. */
import type { ConsoleLanguage, Guarantee, HelloMessage, Step } from '@sbx/console/wire';
import { DEFAULT_ENV, type EngineInfo, FEATURES, type Runner } from '@sbx/core';
import { type Language, type LanguageReport, type LanguageStep, languages } from '@sbx/languages';
import { GUARANTEE_FACTS } from '@sbx/serving';
import type { Part } from '../parts/part.js';

/** Of programs for which a language makes up its arguments. */
const MEMORY_BYTES = 512 * 2 ** 20;

/** Runs programs to find out; with a cluster it waits for a worker. */
export async function askLanguages(engine: Runner, parts: readonly Part[]): Promise<ConsoleLanguage[]> {
  const streamed = new Set(parts.flatMap((part) => part.languages));
  const reports = await languages.probe(engine);
  return reports.flatMap((report) => languageOf(report, streamed));
}

export function makeHello(
  engine: Runner,
  parts: readonly Part[],
  installed: ConsoleLanguage[],
): HelloMessage {
  const { version, kernel, cgroup, user, parallelism, maxSandboxes, queueLength } = engine.info();
  return {
    type: 'hello',
    v: 1,
    version,
    kernel,
    cgroup: cgroup.version,
    user: user.mode,
    protocols: parts.map(({ protocol }) => protocol),
    languages: installed,
    guarantees: guaranteesOf(engine.info()),
    bounds: { parallelism, maxSandboxes, queueLength },
  };
}

export function guaranteesOf({ features }: EngineInfo): Guarantee[] {
  return FEATURES.map((name) => {
    const { available, mechanism, reason } = features[name];
    const { required, why, fix } = GUARANTEE_FACTS[name];
    return { name, available, required, mechanism, reason, why, fix: available ? null : (fix ?? null) };
  });
}

/**
 * One that is not here is left out, and one whose compiler is a file of ours: it would travel with each
 * request.
 */
function languageOf(
  { name, title, version, available }: LanguageReport,
  streamed: ReadonlySet<string>,
): ConsoleLanguage[] {
  const language = languages.find(name);
  if (!available || language.compile?.files !== undefined) return [];
  const source = typeof language.fileName === 'string' ? language.fileName : language.fileName('');
  const { compile } = language;
  const context = { source, code: '', memoryBytes: MEMORY_BYTES, toldMemoryBytes: null };
  return [
    {
      name,
      title,
      version,
      fathom: streamed.has(name),
      source,
      compile:
        compile === undefined ? null : { ...stepOf(language, compile, context), output: [...compile.output] },
      run: stepOf(language, language.run, context),
    },
  ];
}

function stepOf<Context extends { source: string }>(
  { env }: Language,
  step: LanguageStep<Context>,
  context: Context,
): Step {
  const args = typeof step.args === 'function' ? step.args(context) : (step.args ?? []);
  const own = typeof step.env === 'function' ? step.env(context) : step.env;
  return {
    args: [step.file, ...args.map((arg) => arg.replaceAll('{source}', context.source))],
    env: { ...DEFAULT_ENV, ...env, ...own },
  };
}
