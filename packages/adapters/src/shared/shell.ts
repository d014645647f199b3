/** A line of shell, as frameworks give commands. */
import {
  DEFAULT_ENV,
  type Environment,
  InvalidOptionsError,
  type Limits,
  type ProcessFor,
  type ProgramOptions,
  type RunOptions,
  type RunResult,
  type Sandbox,
  type SandboxOptions,
} from '@sbx/core';

/** Bytes of each output that are kept; the rest is counted and dropped, and the program goes on. */
export const OUTPUT_BYTES_MAX = 2 ** 20;

/** Output beyond the bound is dropped, not deadly: what builds and tests print is long. */
const KEEP_FIRST = { capture: { maxBytes: OUTPUT_BYTES_MAX, overflow: 'discard' } } as const;

type Variables = Readonly<Record<string, string>>;

/** What a framework says beside the line. */
export interface CommandOptions {
  cwd?: string | undefined;
  /** Added to those of the sandbox; `undefined` takes one out. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Real time, in ms. Default: the limit of the sandbox. */
  timeoutMs?: number | undefined;
  /** Another shell than that of the sandbox: a path, or a name in PATH. */
  program?: string | undefined;
  /** The shell reads its profile. */
  isLogin?: boolean | undefined;
}

/** How commands are run in one sandbox. */
export class Shell {
  readonly #sandbox: Sandbox;
  readonly #shell: string;
  readonly #limits: Limits;
  #variables: Variables;

  /** Of the options: the environment of all commands, and limits of time that living processes have, too. */
  constructor(
    sandbox: Sandbox,
    { env, limits = {} }: Pick<SandboxOptions, 'env' | 'limits'>,
    shell: '/bin/sh' | '/bin/bash' = '/bin/sh',
  ) {
    this.#sandbox = sandbox;
    this.#limits = limits;
    this.#shell = shell;
    this.#variables = variablesOf(env ?? DEFAULT_ENV);
  }

  /** What all commands get. */
  get variables(): Variables {
    return this.#variables;
  }

  /** All commands from now on get these, too. */
  setVariables(more: Variables): void {
    this.#variables = { ...this.#variables, ...more };
  }

  /** To its end. Of each output the first MiB is kept. */
  run(line: string, command: CommandOptions = {}, options: RunOptions = {}): Promise<RunResult> {
    return this.#sandbox.run(...this.#call(line, command), {
      stdout: KEEP_FIRST,
      stderr: KEEP_FIRST,
      ...options,
      ...this.#common(command),
    });
  }

  /** A living process, without limits of time unless it or the options have one. */
  spawn<const Options extends Pick<ProgramOptions, 'stdin' | 'stdout' | 'stderr' | 'signal' | 'pty'>>(
    line: string,
    command: CommandOptions,
    options: Options,
  ): Promise<ProcessFor<Options>> {
    const { limits, ...common } = this.#common(command);
    const all: ProgramOptions = {
      ...options,
      ...common,
      limits: {
        wallTimeMs: this.#limits.wallTimeMs ?? null,
        cpuTimeMs: this.#limits.cpuTimeMs ?? null,
        ...limits,
      },
    };
    return this.#sandbox.spawn(...this.#call(line, command), all) as Promise<ProcessFor<Options>>;
  }

  #call(line: string, { program, isLogin }: CommandOptions): [file: string, args: readonly string[]] {
    checkLine(line);
    return [program ?? this.#shell, [isLogin ? '-lc' : '-c', line]];
  }

  #common({ cwd, env, timeoutMs }: CommandOptions): {
    cwd?: string | undefined;
    env: Variables;
    limits?: Limits;
  } {
    return {
      cwd,
      env: env === undefined ? this.#variables : withMore(this.#variables, env),
      ...(timeoutMs === undefined ? {} : { limits: { wallTimeMs: timeoutMs } }),
    };
  }
}

/** Told by the caller's word, which a framework in JavaScript may have got wrong: `cmd` for `command`. */
function checkLine(line: unknown): void {
  if (typeof line === 'string') return;
  const expected = 'must be a string, a line of shell';
  throw new InvalidOptionsError({ field: 'command', rule: 'type', expected, got: typeof line });
}

function withMore(variables: Variables, more: Readonly<Record<string, string | undefined>>): Variables {
  const all = Object.entries({ ...variables, ...more });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function variablesOf(env: Environment): Variables {
  if (!Array.isArray(env)) return env as Variables;
  return Object.fromEntries(
    (env as readonly string[]).map((text) => {
      const equals = text.indexOf('=');
      return equals < 0 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)];
    }),
  );
}

/** A line for each output that was cut; empty when none was. */
export function cutLines({ stdout, stderr }: Pick<RunResult, 'stdout' | 'stderr'>): string {
  return Object.entries({ stdout, stderr })
    .filter(([, { droppedBytes }]) => droppedBytes > 0)
    .map(
      ([name, { droppedBytes }]) =>
        `sbx: ${name} is cut after ${OUTPUT_BYTES_MAX} bytes, ${droppedBytes} are left out\n`,
    )
    .join('');
}
