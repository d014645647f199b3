/** Options of `createRuntimes` and of its `spawn`, and their checks. */
import {
  type Engine,
  isRunner,
  type Limits,
  optionRules,
  type ProgramOptions,
  type Runner,
  type SandboxShape,
} from '@sbx/core';
import type { LanguageName } from './language.js';
import { ARGS, CODE, ENV, NAME, validate } from './options.js';
import type { Registry } from './registry.js';

const { by, checkRule, isPlainObject, keySegment, number, ONE_SHOT_RULES, table, within, wrongType } =
  optionRules;
type Check = optionRules.Check;

/** Settings of `createRuntimes`. */
export interface RuntimesOptions {
  /**
   * Where the programs run. Only an `Engine` has interpreters that wait: with another runner each start is an
   * ordinary one.
   */
  engine: Engine | Runner;
  /** Languages that can be asked for. Default: the built-in ones. */
  registry?: Registry | undefined;
  /** Interpreters kept waiting, by language name. Default: none, every start is an ordinary one. */
  standby?: Readonly<Record<string, number>> | undefined;
  /** Memory that all waiting interpreters may hold together, in bytes. Default 512 MiB. */
  memoryBytes?: number | undefined;
  /**
   * What the first waiting interpreters are made for; later they follow the requests. Default: the languages'
   * and the engine's.
   */
  limits?: Limits | undefined;
  /** Interfaces of the first waiting interpreters; later they follow the requests. Default: none. */
  network?: SandboxShape['network'] | undefined;
  /** Added to the environment of every program of a language, by language name; a request's own wins. */
  env?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** Code to run, alive. */
export interface SpawnCodeOptions
  extends Pick<ProgramOptions, 'signal' | 'onAbort' | 'killGraceMs'>,
    SandboxShape {
  /** Name or alias; see `Registry.list()`. A language with a compile step is refused. */
  language: LanguageName | (string & {});
  /** The source text. */
  code: string;
  /** Arguments of the program. Default: none. */
  args?: readonly string[] | undefined;
  /**
   * What it reads, then end of file. Default `'empty'`. `'pipe'`: the caller writes to `Process.stdin`.
   * Inside it is a pipe in any case.
   */
  stdin?: 'empty' | 'pipe' | { text: string } | { bytes: Uint8Array } | undefined;
  /**
   * Added to the language's environment; its PATH is the program's, the interpreter is found without it. An
   * ordinary start, unless the same was asked for lately: then an interpreter may wait with it.
   */
  env?: Record<string, string> | undefined;
  /**
   * Limits of the program. Default: the language's, then the engine's. Outputs are pipes: bound them while
   * reading.
   */
  limits?: Limits | undefined;
}

/** An object with a value of the same kind under each language's name. */
function perLanguage(check: Check): optionRules.Rule {
  return by((value) => {
    if (!isPlainObject(value)) return wrongType('a plain object', value);
    for (const [name, item] of Object.entries(value)) {
      const found = check(item);
      if (found !== null) return within(keySegment(name), found);
    }
    return null;
  });
}

const WAITING_MAX = 1024;
const WAITING = number(0, WAITING_MAX);

const RUNTIMES = table<RuntimesOptions>(
  'the options of createRuntimes',
  {
    engine: by((value) => (isRunner(value) ? null : wrongType('an Engine or another Runner', value))),
    registry: by(checkRegistry),
    standby: perLanguage((value) => checkRule(value, WAITING)),
    memoryBytes: number(0, Number.MAX_SAFE_INTEGER, { unit: 'bytes' }),
    limits: ONE_SHOT_RULES.limits,
    network: ONE_SHOT_RULES.network,
    env: perLanguage((value) => checkRule(value, ENV)),
  },
  { required: ['engine'] },
);

function checkRegistry(value: unknown): optionRules.Problem | null {
  const isRegistry = typeof (value as { find?: unknown } | null)?.find === 'function';
  return isRegistry ? null : wrongType('a Registry', value);
}

const SPAWN_CODE = table<SpawnCodeOptions>(
  'the options of spawn',
  {
    language: NAME,
    code: CODE,
    args: ARGS,
    stdin: by(checkInput),
    env: ENV,
    limits: ONE_SHOT_RULES.limits,
    signal: ONE_SHOT_RULES.signal,
    onAbort: ONE_SHOT_RULES.onAbort,
    killGraceMs: ONE_SHOT_RULES.killGraceMs,
    network: ONE_SHOT_RULES.network,
    seccomp: ONE_SHOT_RULES.seccomp,
    seccompAction: ONE_SHOT_RULES.seccompAction,
  },
  { required: ['language', 'code'] },
);

/** What `Runtimes.spawn` can write to a program. */
export function checkInput(value: unknown): optionRules.Problem | null {
  if (value === 'empty' || value === 'pipe') return null;
  const { text, bytes } = (value ?? {}) as { text?: unknown; bytes?: unknown };
  if (typeof text === 'string' || bytes instanceof Uint8Array) return null;
  return wrongType("'empty', 'pipe', { text } or { bytes }", value);
}

export function validateRuntimes(options: RuntimesOptions): void {
  validate(options, RUNTIMES);
}
export function validateSpawnCode(options: SpawnCodeOptions): void {
  validate(options, SPAWN_CODE);
}
