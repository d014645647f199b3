/**
 * Request → plan of the one run: a program as it is, an executable copied in, or a source file, compiled
 * first.
 */
import { type CopyOut, DEFAULT_ENV, type Engine, type EngineOptions } from '@sbx/core';
import { type Compilation, type Language, languages, minimalRoot } from '@sbx/languages';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';
import type { RunRequest, RunTarget } from './request.js';
import type { RunPlan } from './types.js';

type FileTarget = Extract<RunTarget, { kind: 'file' }>;

/** The compiler said no; `compilation` says what it said. */
export class CompileFailed extends Error {
  readonly compilation: Extract<Compilation, { ok: false }>;

  constructor(compilation: Extract<Compilation, { ok: false }>) {
    super('compilation failed');
    this.compilation = compilation;
  }
}

export function planRun(engine: Engine, request: RunRequest, signal: AbortSignal): Promise<RunPlan> {
  const { target } = request;
  if (target.kind === 'program') return Promise.resolve(planProgram(request, target.file, target.args));
  if (isElf(target.content) && target.language === undefined)
    return Promise.resolve(planExecutable(request, target));
  return planSource(engine, request, target, signal);
}

/** A minimal root without a list of its own has what the file's language needs. */
export function rootFor({ root, target }: RunRequest): NonNullable<EngineOptions['root']> {
  if (root !== 'minimal' || target.kind === 'program') return root;
  if (isElf(target.content) && target.language === undefined) return root;
  return minimalRoot([languageOf(target, target.content.toString('utf8')).name]);
}

function planProgram(request: RunRequest, file: string, args: readonly string[]): RunPlan {
  const { limits, env, files } = request;
  const options = { ...shapeOf(request), limits, files, env: { ...DEFAULT_ENV, ...env } };
  return { file, args, options, copyOut: copyOutOf(request), language: null, compile: null };
}

function planExecutable(request: RunRequest, { name, content, args }: FileTarget): RunPlan {
  const plan = planProgram(request, `./${name}`, args);
  const files = { ...plan.options.files, [name]: { bytes: content, executable: true } };
  return { ...plan, options: { ...plan.options, files } };
}

async function planSource(
  engine: Engine,
  request: RunRequest,
  target: FileTarget,
  signal: AbortSignal,
): Promise<RunPlan> {
  const code = target.content; // its bytes, since sources are in other encodings, too
  const language = languageOf(target, code.toString('utf8'));
  const fileName = fileNameFor(language, target.name);
  const { files, limits, env } = request;
  const compiled = language.compile !== undefined;
  const source = { engine, signal, language: language.name, code, fileName, ...(compiled ? { files } : {}) };
  const compilation = await languages.compile(source);
  if (!compilation.ok) throw new CompileFailed(compilation);
  const run = languages.prepareRun(compilation.artifact, { engine, args: target.args, files, limits, env });
  const options = { ...run.options, ...shapeOf(request) };
  const { file, args } = run;
  return {
    ...{ file, args, options, copyOut: copyOutOf(request) },
    language: language.name,
    compile: compilation.result,
  };
}

function languageOf({ language, name, path }: FileTarget, code: string): Language {
  if (language !== undefined) return languages.find(language);
  const found = languages.detect(name, code);
  if (found !== null) return found;
  const known = languages.list().flatMap((entry) => entry.extensions);
  throw new UsageError(
    `the language of ${path} cannot be told by its name`,
    `Known extensions: ${known.join(' ')}. Or name it: sbx run --language NAME ${path}`,
    EXIT.unknownLanguage,
  );
}

/**
 * The user's own name, so that messages show it, where it is a plain one and the language does not decide
 * itself.
 */
function fileNameFor(language: Language, name: string): string | undefined {
  const isPlain =
    /^\w[\w.+-]*$/.test(name) && language.extensions.some((extension) => name.endsWith(extension));
  return isPlain && typeof language.fileName === 'string' ? name : undefined;
}

function shapeOf({ network, seccomp, seccompAction, cwd }: RunRequest) {
  return { network, seccomp, seccompAction, ...(cwd === undefined ? {} : { cwd }) };
}

function copyOutOf(request: RunRequest): CopyOut[] {
  return Object.keys(request.copyOut);
}

function isElf(content: Buffer): boolean {
  return content.length >= 4 && content.readUInt32BE(0) === 0x7f454c46;
}
