/** What options take as an engine: the part of `Engine` that knows of no sandbox. */
import { readWhole } from '../cgroup/whole.js';
import { EngineCore } from '../engine/core.js';
import { registerCore } from '../engine/registry.js';
import type { EngineCounters, EngineInfo, EngineUsage } from '../types/engine.js';
import { notConstructed } from './not-constructed.js';

/** An engine as `Engine.open` gives it, where an option takes one. */
export abstract class OpenEngine implements AsyncDisposable {
  readonly #core: EngineCore;

  protected constructor(core: unknown) {
    if (!(core instanceof EngineCore)) throw notConstructed('Engine', 'await Engine.open()');
    this.#core = core;
    registerCore(this, core);
  }

  /** Lists the guarantees that are enforced here, and by which mechanism. */
  info(): EngineInfo {
    return this.#core.info();
  }

  /**
   * Whether a program can be started now: false once the engine is closed, and while a helper process that
   * died is replaced. A request made meanwhile waits for that. For readiness probes.
   */
  get isReady(): boolean {
    return this.#core.isReady;
  }

  /** Numbers since the opening, for metrics. */
  counters(): EngineCounters {
    return this.#core.counters();
  }

  /** Usage of all its sandboxes together, read from the kernel now. */
  usage(): EngineUsage {
    return readWhole(this.#core.tree);
  }

  /**
   * Gives memory that the allocator of this process keeps for later back to the system, in about a
   * millisecond. For servers: after large outputs that can be tens of MiB. False where the C library has no
   * way (musl).
   */
  trimMemory(): boolean {
    return this.#core.native.trimMemory();
  }

  /**
   * Kills what runs, each after its `killGraceMs`, rejects what waits, and removes every trace. Safe to call
   * twice.
   */
  close(): Promise<void> {
    return this.#core.close();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
