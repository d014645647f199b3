import type { RunResult } from '@sbx/core';
import { defaultEngine } from './engine.js';
import type { Language } from './language.js';
import { requireAvailable } from './needs.js';
import { planCompile, sourceFiles, sourceName } from './plan.js';
import type { Artifact, Compilation, CompileOptions } from './types.js';

/**
 * Compiles in a fresh sandbox and takes the outputs out of it; a language without compile step just packs its
 * files.
 */
export async function compileCode(language: Language, options: CompileOptions): Promise<Compilation> {
  const { engine = defaultEngine, signal } = options;
  const source = sourceName(language, options);
  if (language.compile === undefined) {
    const files = sourceFiles(language, options, source);
    return {
      ok: true,
      language: language.name,
      artifact: { language: language.name, source, files },
      result: null,
    };
  }
  const plan = planCompile(language, language.compile, options);
  signal?.throwIfAborted();
  await requireAvailable(language, engine);
  const result = await engine.run(plan.file, plan.args, { ...plan.options, signal });
  if (!result.ok) return { ok: false, language: language.name, artifact: null, result };
  return { ok: true, language: language.name, artifact: artifactOf(language, source, result), result };
}

function artifactOf(language: Language, source: string, result: RunResult): Artifact {
  const files = Object.values(result.files).map(({ path, bytes, mode }) => [path, { bytes, mode }] as const);
  return { language: language.name, source, files: Object.fromEntries(files) };
}
