/** Language + request → the arguments of one core run. Pure: nothing is started or looked up here. */
import { DEFAULT_ENV, type FileInput, InvalidOptionsError, type Limits, optionRules } from '@sbx/core';
import { defaultEngine } from './engine.js';
import type { CompileStep, Language, LanguageStep, PerRun, StepContext } from './language.js';
import { memoryLimitOf, mergeLimits } from './limits.js';
import { memoryLimitFiles, showsMemoryLimit } from './memory-limit-files.js';
import { checkPlainFileName } from './options.js';
import type { Artifact, CompileOptions, PreparedRun, RunArtifactOptions, RunEngine } from './types.js';

type Files = Record<string, FileInput | string | Uint8Array>;

/** What the source is called: the caller's name for it, or the language's. */
export function sourceName(language: Language, options: CompileOptions): string {
  if (options.fileName !== undefined) return options.fileName;
  if (typeof language.fileName === 'string') return language.fileName;
  const name = language.fileName(textOf(options.code));
  const found = checkPlainFileName(name);
  if (found !== null) optionRules.throwProblem(`fileName(code) of ${language.name}`, found);
  return name;
}

/** The source and the caller's other files. */
export function sourceFiles(language: Language, options: CompileOptions, source: string): Files {
  const taken = [source, ...(language.compile?.output ?? [])];
  if (language.compile?.output.includes(source)) {
    throw nameTaken('options.fileName', source, language);
  }
  refuseTaken(options.files, taken, language);
  const { code } = options;
  return { ...options.files, [source]: typeof code === 'string' ? { text: code } : { bytes: code } };
}

/** For what must be known of it; what is no text is replaced. */
function textOf(code: string | Uint8Array): string {
  return typeof code === 'string'
    ? code
    : Buffer.from(code.buffer, code.byteOffset, code.byteLength).toString();
}

/** The compile step. */
export function planCompile(language: Language, step: CompileStep, options: CompileOptions): PreparedRun {
  const source = sourceName(language, options);
  const files = sourceFiles(language, options, source);
  const toolFiles = step.files?.() ?? {};
  refuseTaken(options.files, Object.keys(toolFiles), language);
  const { engine = defaultEngine, limits, env } = options;
  const code = textOf(options.code);
  const plan = planStep(language, step, { engine, limits, env, context: { source, code } });
  return {
    ...plan,
    options: {
      ...plan.options,
      files: { ...plan.options.files, ...files, ...toolFiles },
      copyOut: [...step.output],
    },
  };
}

/** The run step. */
export function planRun(language: Language, artifact: Artifact, options: RunArtifactOptions): PreparedRun {
  const { engine = defaultEngine, signal: _signal, args = [], limits, env, files, ...rest } = options;
  refuseTaken(files, [artifact.source, ...(language.compile?.output ?? [])], language);
  const plan = planStep(language, language.run, {
    engine,
    limits,
    env,
    context: { source: artifact.source },
  });
  return {
    file: plan.file,
    args: [...plan.args, ...args],
    options: {
      ...rest,
      ...plan.options,
      seccompFamily: rest.seccompFamily ?? language.seccompFamily,
      files: { ...plan.options.files, ...files, ...artifact.files },
    },
  };
}

/** Found out here, and not by who asks for a step. */
type FoundOut = 'memoryBytes' | 'toldMemoryBytes';

interface StepRequest<Facts> {
  engine: RunEngine;
  limits: Limits | undefined;
  env: Record<string, string> | undefined;
  /** What else the step may look at. */
  context: Facts;
}

function planStep<Facts extends Omit<StepContext, FoundOut>>(
  language: Language,
  step: LanguageStep<Facts & StepContext>,
  request: StepRequest<Facts>,
): PreparedRun {
  const limits = mergeLimits(request.engine, step.limits, request.limits);
  const memoryBytes = memoryLimitOf(limits, request.engine);
  const toldMemoryBytes = step.readsMemoryLimit && showsMemoryLimit(request.engine) ? memoryBytes : null;
  const context = { ...request.context, memoryBytes, toldMemoryBytes };
  const env = { ...DEFAULT_ENV, ...language.env, ...valueFor(step.env ?? {}, context), ...request.env };
  const args = valueFor(step.args ?? [], context);
  const filled =
    typeof step.args === 'function'
      ? [...args]
      : args.map((arg) => arg.replaceAll('{source}', () => context.source));
  const files = toldMemoryBytes === null ? {} : memoryLimitFiles(toldMemoryBytes);
  return { file: step.file, args: filled, options: { limits, env, files } };
}

function valueFor<T extends object, Context>(value: PerRun<T, Context>, context: Context): T {
  return typeof value === 'function' ? (value as (context: Context) => T)(context) : value;
}

function refuseTaken(files: Files | undefined, taken: readonly string[], language: Language): void {
  for (const name of Object.keys(files ?? {})) {
    if (taken.includes(plainName(name)))
      throw nameTaken(`options.files[${JSON.stringify(name)}]`, name, language);
  }
}

/** `./main.py` is `main.py`. Absolute ones are left: what is run is written after them. */
function plainName(path: string): string {
  if (path.startsWith('/')) return path;
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

function nameTaken(field: string, name: string, language: Language): InvalidOptionsError {
  return new InvalidOptionsError({
    field,
    rule: 'conflict',
    expected: `must not be a name that ${language.title} uses itself`,
    got: JSON.stringify(name),
  });
}
