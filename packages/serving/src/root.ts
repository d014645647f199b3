/** The root of an engine as a word of a command line says it. */
import { type EngineOptions, MINIMAL_ROOT } from '@sbx/core';

/**
 * `host`, `minimal`, or `minimal:` and names of packages with commas between, which it is made of instead.
 * `null`: none of them.
 */
export function parseRoot(text: string): NonNullable<EngineOptions['root']> | null {
  if (text === 'host' || text === 'minimal') return text;
  const [, names] = /^minimal:(.+)$/.exec(text) ?? [];
  if (names === undefined) return null;
  return { packages: [...MINIMAL_ROOT.packages!, ...names.split(',').map((name) => name.trim())] };
}
