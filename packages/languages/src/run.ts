import type { RunResult } from '@sbx/core';
import { compileCode } from './compile.js';
import { defaultEngine } from './engine.js';
import type { Language } from './language.js';
import { requireAvailable } from './needs.js';
import { planRun } from './plan.js';
import type {
  Artifact,
  CodeResult,
  Compilation,
  CompileOptions,
  RunArtifactOptions,
  RunCodeOptions,
} from './types.js';

/** The run step alone. */
export async function runCompiled(
  language: Language,
  artifact: Artifact,
  options: RunArtifactOptions,
): Promise<RunResult> {
  const { engine = defaultEngine, signal } = options;
  const plan = planRun(language, artifact, options);
  signal?.throwIfAborted();
  await requireAvailable(language, engine);
  return engine.run(plan.file, plan.args, { ...plan.options, signal });
}

/** Compile step, then run step. */
export async function runSource(language: Language, options: RunCodeOptions): Promise<CodeResult> {
  const {
    language: _name,
    code: _code,
    fileName: _fileName,
    compileLimits: _limits,
    ...runOptions
  } = options;
  // Planned before anything starts, so that a bad option of the run step is not found out only after the
  // compilation.
  planRun(language, { language: language.name, source: '', files: {} }, runOptions);
  const compilation = await compileCode(language, compileOptionsOf(language, options));
  if (!compilation.ok) return codeResult(compilation, null);
  return codeResult(compilation, await runCompiled(language, compilation.artifact, runOptions));
}

/**
 * The run step gets the caller's files itself, so an artifact that is only packed must not carry them as
 * well.
 */
function compileOptionsOf(language: Language, options: RunCodeOptions): CompileOptions {
  const { engine, signal, code, fileName, compileLimits, files } = options;
  const shared = { engine, signal, language: language.name, code, fileName, limits: compileLimits };
  return language.compile === undefined ? shared : { ...shared, files };
}

/** The step that decided gives status, output and usage. */
function codeResult(compilation: Compilation, run: RunResult | null): CodeResult {
  const decided = run ?? (compilation.result as RunResult);
  const { status, ok, exitCode, exitSignal, stdout, stderr, usage } = decided;
  return {
    stage: run === null ? 'compile' : 'run',
    language: compilation.language,
    compile: compilation.result,
    run,
    status,
    ok,
    exitCode,
    exitSignal,
    stdout,
    stderr,
    usage,
    files: run?.files ?? {},
    orThrow() {
      decided.orThrow();
      return this;
    },
  };
}
