/** The environment of a program: pure. */
import { DEFAULT_ENV } from '../options/defaults.js';
import type { Environment, ProgramOptions } from '../types/program.js';

const DEFAULT_TERM = 'xterm-256color';

/**
 * The default PATH, also where a caller has repeated it, with toolchains before it. Another one is the
 * caller's own.
 */
function withToolchains(environment: readonly string[], toolchainPath: string): readonly string[] {
  const ordinary = `PATH=${DEFAULT_ENV.PATH}`;
  return environment.map((variable) =>
    variable === ordinary ? `PATH=${toolchainPath}${DEFAULT_ENV.PATH}` : variable,
  );
}

/**
 * The program's own environment, else the sandbox's, else the default; with a terminal TERM is added, unless
 * `null` says no.
 */
export function environmentFor(
  options: ProgramOptions,
  ofSandbox: Environment | undefined,
  toolchainPath = '',
): readonly string[] {
  const given = stringsOf(options.env ?? ofSandbox ?? DEFAULT_ENV);
  const strings = toolchainPath === '' ? given : withToolchains(given, toolchainPath);
  return options.pty === undefined ? strings : withTerm(strings, options.pty.term);
}

/** PATH of an environment, the last one when there are several; `undefined` without one. */
export function pathOf(environment: readonly string[]): string | undefined {
  return environment.findLast((variable) => variable.startsWith('PATH='))?.slice('PATH='.length);
}

function stringsOf(environment: Environment): readonly string[] {
  if (Array.isArray(environment)) return environment as readonly string[];
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`);
}

function withTerm(environment: readonly string[], term: string | null | undefined): readonly string[] {
  if (term === null) return environment;
  const isTerm = (variable: string) => variable.startsWith('TERM=');
  if (term === undefined && environment.some(isTerm)) return environment;
  return [...environment.filter((variable) => !isTerm(variable)), `TERM=${term ?? DEFAULT_TERM}`];
}
