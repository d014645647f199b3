/** The public face of an engine. */
import { EngineCore } from '../engine/core.js';
import {
  validateGroup,
  validateOneShot,
  validateOneShotSpawn,
  validateSandboxOptions,
  validateSpawnGroup,
} from '../options/program.js';
import { validateStandbyOptions } from '../options/standby.js';
import { runOneShot } from '../run/one-shot.js';
import { holdInputs, holdInputsOfEach } from '../run/stdio/inputs.js';
import type { EngineOptions } from '../types/engine.js';
import type {
  EachGroupRequest,
  EachGroupResult,
  GroupProgram,
  GroupRequest,
  GroupResult,
} from '../types/group.js';
import type { EachRunManyOptions, RunManyOptions } from '../types/program.js';
import type { RunResult } from '../types/result.js';
import type { StandbyOptions } from '../types/standby.js';
import { withCallerFrames } from './frames.js';
import { runGroup, spawnGroup } from './group.js';
import { spawnAlone } from './living.js';
import { OpenEngine } from './open-engine.js';
import type { ManyRequests, ManyResults, OneShotOptions, SandboxOptions } from './options.js';
import type { NoOtherKeys, ProcessFor } from './process.js';
import type { GroupOf, ProcessesFor, ProcessGroup } from './process-group.js';
import { runMany } from './run-many.js';
import type { Runner } from './runner.js';
import { Sandbox } from './sandbox.js';
import { Standby } from './standby.js';

/**
 * A helper process, a set of ready sandboxes, a queue and settings. Most programs need only the default one,
 * which `Sandbox.run` and `Sandbox.create` open at first use; open your own for other mounts, limits or
 * parallelism. Several in one process do not disturb each other.
 *
 * An open engine does not keep the process alive by itself; when the process ends, in whatever way,
 * everything below it is gone with it.
 *
 * @example
 * ```ts
 * await using engine = await Engine.open({ parallelism: 4, ceilings: { wallTimeMs: 60_000 } });
 * const result = await engine.run('/bin/echo', ['hello']);
 * ```
 */
export class Engine extends OpenEngine implements Runner {
  readonly #core: EngineCore;

  private constructor(core: EngineCore) {
    super(core);
    this.#core = core;
  }

  /**
   * Probes the machine, starts the helper and makes the first sandbox. Throws `InvalidOptionsError`,
   * `UnsupportedError` (also when something in `require` is missing), `PermissionError` (with the layer that
   * refused and the fix) or `SandboxError`.
   */
  static async open(options?: EngineOptions): Promise<Engine> {
    return new Engine(await EngineCore.open(options));
  }

  /** As `Sandbox.run`, on this engine. */
  run(file: string, args?: readonly string[], options?: OneShotOptions): Promise<RunResult> {
    return withCallerFrames(() => {
      validateOneShot(file, args, options);
      holdInputs(options);
      return runOneShot(this.#core, file, args, options);
    });
  }

  /** As `Sandbox.spawn`, on this engine. */
  spawn<const Options extends OneShotOptions>(
    file: string,
    args?: readonly string[],
    options?: Options & NoOtherKeys<Options, OneShotOptions>,
  ): Promise<ProcessFor<Options>> {
    return withCallerFrames(() => {
      validateOneShotSpawn(file, args, options);
      holdInputs(options);
      return spawnAlone(this.#core, file, args, options) as Promise<ProcessFor<Options>>;
    });
  }

  /**
   * Many one-shot runs, `concurrency` at a time: never so many that the queue refuses one. Gives the results
   * in the order of the requests, which are taken as there is room, so they may be without end. A run that
   * rejects (`SBX_PROGRAM_NOT_FOUND`, …) or a request that is refused ends it, after the results of those
   * before it, unless `settle: 'each'` tells the end of each; leaving the loop early, or `signal`, kills what
   * still runs. Awaited instead of looped over it gives all results in an array.
   *
   * @example
   * ```ts
   * const requests = inputs.map((text) => ({ file: './a.out', options: { files, stdin: { text } } }));
   * for await (const { status, stdout } of engine.runMany(requests, { concurrency: 4 }))
   *   console.log(status, stdout.text());
   * ```
   */
  runMany(requests: ManyRequests, options: EachRunManyOptions): ManyResults<PromiseSettledResult<RunResult>>;
  runMany(requests: ManyRequests, options?: RunManyOptions): ManyResults<RunResult>;
  runMany(
    requests: ManyRequests,
    options?: RunManyOptions | EachRunManyOptions,
  ): ManyResults<RunResult | PromiseSettledResult<RunResult>> {
    return runMany(this.#core, requests, options);
  }

  /** As `Sandbox.create`, on this engine. */
  createSandbox(options?: SandboxOptions): Promise<Sandbox> {
    return withCallerFrames(() => {
      validateSandboxOptions(options);
      return Sandbox.create({ ...options, engine: this });
    });
  }

  /** As `Sandbox.runGroup`, on this engine. */
  runGroup(request: EachGroupRequest): Promise<EachGroupResult>;
  runGroup(request: GroupRequest): Promise<GroupResult>;
  runGroup(request: GroupRequest | EachGroupRequest): Promise<GroupResult | EachGroupResult> {
    return withCallerFrames(() => {
      validateGroup(request);
      holdInputsOfEach(request.programs);
      return runGroup(this.#core, request);
    });
  }

  /** As `Sandbox.spawnGroup`, on this engine. */
  spawnGroup<const Each extends readonly (GroupProgram | null)[]>(
    request: GroupOf<EachGroupRequest, Each>,
  ): Promise<ProcessGroup<EachGroupResult, ProcessesFor<Each, null>>>;
  spawnGroup<const Each extends readonly GroupProgram[]>(
    request: GroupOf<GroupRequest, Each>,
  ): Promise<ProcessGroup<GroupResult, ProcessesFor<Each>>>;
  spawnGroup(
    request: GroupRequest | EachGroupRequest,
  ): Promise<ProcessGroup<GroupResult> | ProcessGroup<EachGroupResult>> {
    return withCallerFrames(() => {
      validateSpawnGroup(request);
      holdInputsOfEach(request.programs);
      return spawnGroup(this.#core, request) as Promise<ProcessGroup>;
    });
  }

  /** Programs started ahead of their requests. */
  standby(options?: StandbyOptions): Standby {
    this.#core.checkOpen();
    validateStandbyOptions(options);
    return Standby.make(this.#core, options);
  }
}
