/** Languages to the list of packages that a minimal root is made of. */
import type { MinimalRoot } from '@sbx/core';
import { languages as builtIn } from './built-in.js';
import type { LanguageDefinition } from './language.js';

/** What every root has: libraries of C, and the shell that asks what else is there. */
const BASE: readonly string[] = ['libc6', 'dash'];

/**
 * For `EngineOptions.root`: a root with these languages, by name or definition, and nothing else. Those whose
 * packages are not installed are not in it. Toolchains that no package brings are given by
 * `EngineOptions.toolchains` as ever.
 *
 * @example
 * ```ts
 * await using engine = await Engine.open({ root: minimalRoot(['python', 'c']) });
 * ```
 */
export function minimalRoot(languages: readonly (string | LanguageDefinition)[]): MinimalRoot {
  const definitions = languages.map((one) => (typeof one === 'string' ? builtIn.find(one) : one));
  const names = definitions.flatMap(({ debianPackage = '', essentialPackages = [] }) => [
    ...debianPackage.split(' ').filter((name) => name !== ''),
    ...essentialPackages,
  ]);
  return { packages: BASE, optionalPackages: [...new Set(names)] };
}
