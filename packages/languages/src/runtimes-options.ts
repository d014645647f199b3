/** Options of `createRuntimes` and of its `spawn`, and their checks. */
import {
  type Engine,
  isRunner,
  type Limits,
  type ProgramOptions,
  type Runner,
  type SandboxShape,
} from '@sbx/core';
import type { LanguageName } from './language.js';
import {
  anything,
  type Check,
  type Checks,
  limits,
  record,
  text,
  texts,
  validate,
  wrongType,
} from './options.js';
import type { Registry } from './registry.js';

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

const counts: Check = (value, field) => {
  record(value, field);
  for (const [name, count] of Object.entries(value as Record<string, unknown>)) {
    if (typeof count !== 'number') throw wrongType(`${field}.${name}`, 'must be a number', count);
  }
};

const RUNTIMES: Checks<RuntimesOptions> = {
  engine: (value, field) => {
    if (!isRunner(value)) throw wrongType(field, 'must be an Engine or another Runner', value);
  },
  registry: (value, field) => {
    if (typeof (value as { find?: unknown } | null)?.find !== 'function') {
      throw wrongType(field, 'must be a Registry', value);
    }
  },
  standby: counts,
  memoryBytes: anything,
  limits,
  network: anything,
  env: (value, field) => {
    record(value, field);
    for (const [name, env] of Object.entries(value as object)) record(env, `${field}.${name}`);
  },
};

const SPAWN_CODE: Checks<SpawnCodeOptions> = {
  language: text,
  code: text,
  args: texts,
  stdin: anything,
  env: record,
  limits,
  signal: anything,
  onAbort: anything,
  killGraceMs: anything,
  network: anything,
  seccomp: anything,
  seccompAction: anything,
};

export function validateRuntimes(options: RuntimesOptions): void {
  validate(options, RUNTIMES, ['engine']);
}
export function validateSpawnCode(options: SpawnCodeOptions): void {
  validate(options, SPAWN_CODE, ['language', 'code']);
}
