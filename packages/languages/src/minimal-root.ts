/** Languages to the list of packages that a minimal root is made of. */
import { type MinimalRoot, optionRules } from '@sbx/core';
import { languages as builtIn } from './built-in.js';
import type { LanguageDefinition } from './language.js';

const { throwProblem, wrongType } = optionRules;

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
  if (!Array.isArray(languages)) throwProblem('languages', wrongType('an array of languages', languages));
  const definitions = languages.map(definitionOf);
  const names = definitions.flatMap(({ debianPackage = '', essentialPackages = [] }) => [
    ...debianPackage.split(' ').filter((name) => name !== ''),
    ...essentialPackages,
  ]);
  return { packages: BASE, optionalPackages: [...new Set(names)] };
}

function definitionOf(language: unknown, index: number): LanguageDefinition {
  if (typeof language === 'string') return builtIn.find(language);
  if (typeof language === 'object' && language !== null) return language as LanguageDefinition;
  return throwProblem(`languages[${index}]`, wrongType('a name or a definition', language));
}
