/** The public face of programs that wait for their requests. */
import type { EngineCore } from '../engine/core.js';
import { checkCeilings } from '../options/limits.js';
import {
  validateStandbyFamily,
  validateStandbyInput,
  validateStandbyName,
  validateStandbyProgram,
  validateStandbyRequest,
} from '../options/standby.js';
import type {
  StandbyCounters,
  StandbyFamily,
  StandbyInput,
  StandbyOptions,
  StandbyProgram,
  StandbyRequest,
} from '../types/standby.js';
import { type LaunchSpec, makeLaunchSpec } from '../warm/launch-spec.js';
import { StandbyPool } from '../warm/warm-pools.js';
import { type PipedProcess, Process } from './process.js';

/**
 * From `engine.standby()`. Keeps programs started ahead of their requests: each in a fresh sandbox, hanging
 * at the opening of its entry file (the script), so that a request costs what is left of the start. Each
 * serves one request and is replaced off the request's path. A program cannot tell that it waited, but by the
 * age of its process and of its files (`fresh` is for code that asks); limits and meters begin at the
 * hand-over.
 *
 * Programs are kept in families, by a name of the caller's, with so many places each. What waits there is
 * made for what is asked for: a request is served by a waiting program when all that a program can see before
 * it opens its script is equal (program, arguments, environment, folder, resource limits, shape of the
 * sandbox), and else by an ordinary start, with the same outcome. Waiting programs count towards
 * `maxSandboxes` and do not keep the process.
 */
export class Standby implements AsyncDisposable {
  readonly #core: EngineCore;
  readonly #pool: StandbyPool;

  /** @internal */
  static make(core: EngineCore, options: StandbyOptions | undefined): Standby {
    return new Standby(core, options);
  }

  private constructor(core: EngineCore, options: StandbyOptions | undefined) {
    this.#core = core;
    this.#pool = new StandbyPool(core, options);
  }

  /** So many programs of a family wait from now on, at first this one, later what is asked for. */
  keep(name: string, family: StandbyFamily): void {
    validateStandbyName(name);
    validateStandbyFamily(family);
    const { count, program, prelude } = family;
    this.#pool.keep(name, count, makeLaunchSpec(this.#core, program), prelude);
  }

  /**
   * A program that many requests will be for, of the family of this name: checked and copied here, once, and
   * not for each of them.
   * @throws InvalidOptionsError for the first option that is wrong, or above the engine's ceilings.
   */
  prepare(name: string, program: StandbyProgram): PreparedProgram {
    validateStandbyName(name);
    validateStandbyProgram(program, 'program');
    checkCeilings(program.limits, this.#core.options.ceilings);
    return PreparedProgram.make(this.#pool, name, makeLaunchSpec(this.#core, program));
  }

  /**
   * A program for this request, from those that wait or freshly started; three pipes, as `Engine.spawn` with
   * them.
   */
  async spawn(name: string, request: StandbyRequest): Promise<PipedProcess> {
    validateStandbyRequest(request);
    const { code, fresh, signal, onAbort, killGraceMs, ...program } = request;
    return this.prepare(name, program).spawn({ code, fresh, signal, onAbort, killGraceMs });
  }

  /** Resolves when nothing more is about to be started: every place is taken, or cannot be. */
  ready(): Promise<void> {
    return this.#pool.ready();
  }

  /** Numbers by family. */
  counters(): Record<string, StandbyCounters> {
    return this.#pool.counters();
  }

  /** Ends what waits; programs that were handed over go on. Safe to call twice. */
  async close(): Promise<void> {
    this.#pool.close();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** From `Standby.prepare`: what stays the same from request to request. */
export class PreparedProgram {
  readonly #pool: StandbyPool;
  readonly #name: string;
  readonly #launchSpec: LaunchSpec;

  /** @internal */
  static make(pool: StandbyPool, name: string, launchSpec: LaunchSpec): PreparedProgram {
    return new PreparedProgram(pool, name, launchSpec);
  }

  private constructor(pool: StandbyPool, name: string, launchSpec: LaunchSpec) {
    this.#pool = pool;
    this.#name = name;
    this.#launchSpec = launchSpec;
  }

  /** One that runs this code, from those that wait or freshly started; as `Standby.spawn`. */
  async spawn(options: StandbyInput): Promise<PipedProcess> {
    validateStandbyInput(options);
    const { running, result } = await this.#pool.spawn(this.#name, this.#launchSpec, options);
    return Process.make(running, result) as PipedProcess;
  }
}
