/**
 * Interpreters that have started and wait for code. What a caller gets is core's `Process` (of another runner
 * its process), from an interpreter that waited or from an ordinary start: the same outcome, only sooner or
 * later.
 */
import {
  InvalidOptionsError,
  type PipedRunnerProcess,
  type StandbyCounters,
  type StandbyProgram,
} from '@sbx/core';
import { startByPath } from './absolute.js';
import { type PreparedStart, type Starts, startsOf } from './cold-starts.js';
import { LanguageUnavailableError } from './errors.js';
import type { Language } from './language.js';
import { type Programs, requireAvailable } from './needs.js';
import { planRun, sourceName } from './plan.js';
import { createRegistry, type Registry } from './registry.js';
import {
  checkInput,
  type RuntimesOptions,
  type SpawnCodeOptions,
  validateRuntimes,
  validateSpawnCode,
} from './runtimes-options.js';

const NONE: StandbyCounters = {
  waiting: 0,
  starting: 0,
  warm: 0,
  cold: 0,
  lost: 0,
  started: 0,
  memoryBytes: 0,
  reason: null,
};

type ProgramRequest = Omit<SpawnCodeOptions, 'language'>;

/** For requests that differ in their code and input alone. */
interface Prepared {
  start: PreparedStart;
  /** See `LanguageDefinition.asksAge`. */
  asksAge: RegExp | undefined;
}

/** Programs that are remembered, and how large their arguments and environments may be: some MB together. */
const PROGRAMS_MAX = 64;
const KEY_CHARS_MAX = 16_384;

/** Made by `createRuntimes`. */
export class Runtimes implements AsyncDisposable {
  readonly #options: RuntimesOptions;
  readonly #registry: Registry;
  readonly #standby: Starts;
  readonly #kept: Promise<unknown>;
  readonly #programs = new Map<string, Prepared>();
  /** Languages that were to wait and are not installed, and what is missing. */
  readonly #missing = new Map<string, string>();

  /** @internal Use `createRuntimes`. */
  static make(options: RuntimesOptions): Runtimes {
    return new Runtimes(options);
  }

  private constructor(options: RuntimesOptions) {
    const { engine, registry = createRegistry(), standby = {}, memoryBytes } = options;
    this.#options = options;
    this.#registry = registry;
    const wanted = Object.entries(standby).map(([name, count]) => [this.#find(name), count] as const);
    this.#standby = startsOf(engine, memoryBytes);
    this.#kept = Promise.all(wanted.map(([language, count]) => this.#keep(language, count)));
    this.#kept.catch(() => undefined); // told by `ready`
  }

  /**
   * Runs code, alive: an interpreter that waits takes it when it was started just as this request would start
   * one, and the code does not ask how old its process is (`LanguageDefinition.asksAge`); else one is started
   * now. stdout and stderr are pipes. Not in the engine's queue. Rejects with `LanguageUnavailableError` when
   * the interpreter is not installed, and as `Engine.spawn`.
   */
  async spawn(options: SpawnCodeOptions): Promise<PipedRunnerProcess> {
    const key = keyOf(options);
    const known = key === null ? undefined : this.#programs.get(key);
    const { start, asksAge } = known ?? (await this.#prepare(options, key));
    const { code, stdin = 'empty', signal, onAbort, killGraceMs } = options;
    const fresh = asksAge !== undefined && asks(asksAge, code);
    const process = await start.spawn({ code, fresh, signal, onAbort, killGraceMs });
    if (stdin !== 'pipe') feed(process, stdin);
    return process;
  }

  /**
   * Resolves when all that are to wait do so, or cannot; `counters()` says which, and why. Rejects when the
   * engine failed.
   */
  async ready(): Promise<void> {
    await this.#kept;
    await this.#standby.ready();
  }

  /** Numbers by language, of those that were asked to wait. */
  counters(): Record<string, StandbyCounters> {
    const missing = [...this.#missing].map(([name, reason]) => [name, { ...NONE, reason }] as const);
    return { ...this.#standby.counters(), ...Object.fromEntries(missing) };
  }

  /** Ends what waits; programs that run go on. The engine's close does it too. */
  close(): Promise<void> {
    return this.#standby.close();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #find(name: string): Language {
    const language = this.#registry.find(name);
    if (language.compile === undefined) return language;
    throw new InvalidOptionsError({
      field: 'options.language',
      rule: 'choice',
      expected: 'must be a language without a compile step',
      got: language.name,
      hint: 'Use `compile`, then `prepareRun` and `Engine.spawn`.',
    });
  }

  /** Checks the request, and plans its program: once for all that have the same key. */
  async #prepare(request: SpawnCodeOptions, key: string | null): Promise<Prepared> {
    validateSpawnCode(request);
    const language = this.#find(request.language);
    request.signal?.throwIfAborted();
    const programs = await requireAvailable(language, this.#options.engine);
    const start = this.#standby.prepare(language.name, this.#plan(language, programs, request));
    const prepared = { start, asksAge: language.asksAge };
    const isSure = programs.size > 0 && typeof language.fileName !== 'function';
    if (key === null || !isSure) return prepared;
    if (this.#programs.size >= PROGRAMS_MAX) this.#programs.clear();
    this.#programs.set(key, prepared);
    return prepared;
  }

  /** All that an interpreter can see before it opens the source. */
  #plan(language: Language, programs: Programs, request: ProgramRequest): StandbyProgram {
    const { code, args, limits, env, network, seccomp, seccompAction } = request;
    const { engine } = this.#options;
    const source = sourceName(language, { language: language.name, code });
    const artifact = { language: language.name, source, files: {} };
    const ownEnv = { ...this.#options.env?.[language.name], ...env };
    const { file, args: words, options } = planRun(language, artifact, { engine, args, limits, env: ownEnv });
    const start = startByPath(language, programs, { file, env: options.env as Record<string, string> });
    const shape = { network, seccomp, seccompAction };
    const files = options.files as Record<string, string>; // none is the caller's
    const { limits: ownLimits, seccompFamily } = options;
    return { ...start, args: words, entry: source, files, limits: ownLimits, seccompFamily, ...shape };
  }

  async #keep(language: Language, count: number): Promise<void> {
    const { engine, limits, network } = this.#options;
    let programs: Programs;
    try {
      programs = await requireAvailable(language, engine);
    } catch (error) {
      if (!(error instanceof LanguageUnavailableError)) throw error;
      return void this.#missing.set(language.name, error.message);
    }
    const prelude = count === 0 ? {} : await this.#prelude(language, programs);
    this.#standby.keep(language.name, {
      count,
      program: this.#plan(language, programs, { code: '', limits, network }),
      prelude,
    });
  }

  async #prelude(language: Language, programs: Programs): Promise<Readonly<Record<string, string>>> {
    if (language.standby === undefined) return {};
    const { file, args, entry, ...rest } = this.#plan(language, programs, { code: '' });
    const files = { ...rest.files, [entry]: language.standby.probe };
    const result = await this.#options.engine.run(file, args, { ...rest, files });
    return result.ok ? language.standby.prelude(result.stdout.text()) : {};
  }
}

/** Whatever flags the expression has. */
function asks(age: RegExp, code: string): boolean {
  return code.search(age) >= 0;
}

/**
 * Equal for requests of the same program. `null`: one that must be checked, since its code or its input is
 * wrong, or JSON does not tell it from others; or one too large to be remembered.
 */
function keyOf(request: SpawnCodeOptions): string | null {
  if (!isPlain(request)) return null;
  const { code, stdin, signal: _signal, onAbort: _onAbort, killGraceMs: _grace, ...program } = request;
  if (typeof code !== 'string' || !(stdin === undefined || checkInput(stdin) === null) || !isExact(program))
    return null;
  const key = JSON.stringify(program);
  return key.length > KEY_CHARS_MAX ? null : key;
}

/** Whether JSON tells it from whatever else an option may be. */
function isExact(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return !UNTOLD.includes(typeof value);
  return (Array.isArray(value) || isPlain(value)) && Object.values(value).every(isExact);
}

/** JSON leaves them out, as if they were not there, or has no word for them. */
const UNTOLD: readonly string[] = ['function', 'symbol', 'bigint'];

function isPlain(value: object): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Starts interpreters ahead of their code, as many as `standby` says, and runs code in them. */
export function createRuntimes(options: RuntimesOptions): Runtimes {
  validateRuntimes(options);
  return Runtimes.make(options);
}

/** What a program leaves unread is no fault. */
function feed(
  { stdin }: PipedRunnerProcess,
  input: Exclude<SpawnCodeOptions['stdin'], 'pipe' | undefined>,
): void {
  const bytes = input === 'empty' ? undefined : 'text' in input ? input.text : input.bytes;
  void stdin.end(bytes).catch(() => undefined);
}
