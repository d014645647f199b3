/**
 * `@sbx/adapters/mastra`: a workspace sandbox of Mastra. Nothing of the framework is loaded here: the caller
 * hands it in.
 *
 * @packageDocumentation
 */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ClosedError, InvalidOptionsError, type Sandbox } from '@sbx/core';
import { handleOver } from './mastra-process.js';
import type {
  MastraFramework,
  MastraNetworking,
  MastraProcess,
  MastraSandboxParts,
  MastraSpawnOptions,
} from './mastra-types.js';
import { type AdapterOptions, SandboxMaker } from './shared/open.js';
import { urlOf } from './shared/ports.js';
import { OUTPUT_BYTES_MAX, Shell } from './shared/shell.js';

export type * from './mastra-types.js';
export type { AdapterOptions } from './shared/open.js';

/** Retained of one output at the most. */
const RETAINED_BYTES_MAX = 64 * 2 ** 20;

type SandboxBase = new (options: { name: string; processes: object }) => { status: string };
type ManagerBase = new () => { _tracked: Map<string, MastraProcess> };

/**
 * Makes a sandbox for `new Workspace({ sandbox })`. The workspace starts it at its first command; `destroy()`
 * removes every trace.
 *
 * @param framework `import * as framework from '@mastra/core/workspace'`.
 *
 * @example
 * ```ts
 * const sandbox = createMastraSandbox(framework, { limits: { memoryBytes: 512 * 2 ** 20 } });
 * const workspace = new Workspace({ sandbox });
 * ```
 */
export function createMastraSandbox<Base extends object>(
  framework: MastraFramework<Base>,
  options: AdapterOptions = {},
): Base & MastraSandboxParts {
  const place = new Place(options);
  const Manager = managerOver(framework, place);
  return sandboxOver(framework.MastraSandbox as unknown as SandboxBase, place, new Manager()) as Base &
    MastraSandboxParts;
}

/** The sandbox while it runs. */
class Place {
  readonly #options: AdapterOptions;
  readonly #maker: SandboxMaker;
  sandbox: Sandbox | null = null;
  #shell: Shell | null = null;
  #saved: Uint8Array | null = null;
  #opening: Promise<void> | null = null;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#maker = new SandboxMaker(options);
  }

  /** `undefined` without a network: what has none is asked for no address. */
  get networking(): MastraNetworking | undefined {
    if (this.#options.network !== 'loopback') return undefined;
    return {
      getPortUrl: async (port) => (this.sandbox?.isClosed === false ? urlOf(this.sandbox, port) : null),
    };
  }

  get shell(): Shell {
    if (this.#shell === null) throw new ClosedError('The sandbox');
    return this.#shell;
  }

  /** Does nothing where it is open: callers start it themselves, and so does the framework. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.sandbox?.isClosed === false) return;
    this.#opening ??= this.#open(signal).finally(() => {
      this.#opening = null;
    });
    await this.#opening;
  }

  async #open(signal: AbortSignal | undefined): Promise<void> {
    // The files of the options are in what was saved, as they were by then.
    const workspace = this.#saved === null ? {} : { workspace: this.#saved, files: {} };
    this.sandbox = await this.#maker.make({ ...workspace, ...(signal === undefined ? {} : { signal }) });
    this.#saved = null;
    this.#shell = new Shell(this.sandbox, this.#options);
  }

  /** The work folder is there again after the next start. */
  async pause(): Promise<void> {
    try {
      await this.#opened();
      if (this.sandbox !== null) this.#saved = await buffer(this.sandbox.snapshot());
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.#opened();
    const { sandbox } = this;
    this.sandbox = null;
    this.#shell = null;
    await sandbox?.close();
  }

  async destroy(): Promise<void> {
    await this.close();
    this.#saved = null;
    await this.#maker.close();
  }

  /** A sandbox that is being made would be nobody's. */
  async #opened(): Promise<void> {
    await this.#opening?.catch(() => undefined);
  }
}

function sandboxOver(base: SandboxBase, place: Place, processes: object): object {
  const id = `sbx-${randomUUID()}`;
  class SbxSandbox extends base {
    readonly id = id;
    readonly name = 'SbxSandbox';
    readonly provider = 'sbx';
    override status = 'pending';
    readonly createdAt = new Date();
    readonly networking = place.networking;

    get sandbox(): Sandbox | null {
      return place.sandbox;
    }

    start({ abortSignal }: { abortSignal?: AbortSignal } = {}): Promise<void> {
      return place.open(abortSignal);
    }

    // Callers that do not go through the framework's own `_stop` and `_destroy` are seen, too.
    async stop(): Promise<void> {
      await place.pause();
      this.status = 'stopped';
    }

    async destroy(): Promise<void> {
      await place.destroy();
      this.status = 'destroyed';
    }

    getInfo() {
      const { name, provider, status, createdAt } = this;
      const usedBytes = place.sandbox?.usage().memoryBytes ?? null;
      const resources = usedBytes === null ? {} : { memoryUsedMB: usedBytes / 2 ** 20 };
      return { id, name, provider, status, createdAt, resources };
    }

    getInstructions(): string {
      return 'A Linux sandbox of its own: shell, python, no network, limits of time, memory and disk. Commands start in the work folder.';
    }
  }
  return new SbxSandbox({ name: 'SbxSandbox', processes });
}

function managerOver(framework: MastraFramework<object>, place: Place): ManagerBase {
  const Handle = handleOver(framework.ProcessHandle);
  let lastPid = 0;
  return class SbxProcessManager extends (framework.SandboxProcessManager as unknown as ManagerBase) {
    async spawn(line: string, options: MastraSpawnOptions = {}): Promise<MastraProcess> {
      const { cwd, env, timeout, stdinMode = 'pipe', maxRetainedBytes } = options;
      const retained = retainedBytes(maxRetainedBytes);
      const command = { cwd, env, timeoutMs: timeout };
      const process = await place.shell.spawn(line, command, {
        stdin: stdinMode === 'pipe' ? 'pipe' : 'empty',
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const handle = new Handle(process, `${++lastPid}`, { ...options, maxRetainedBytes: retained });
      this._tracked.set(handle.pid, handle);
      return handle;
    }

    async list() {
      return [...this._tracked.values()].map(({ pid, exitCode, ...handle }) => ({
        pid,
        running: exitCode === undefined,
        ...('command' in handle && { command: handle.command }),
        ...(exitCode !== undefined && { exitCode }),
      }));
    }
  };
}

/** Where its caller says nothing, the framework asks for all of it: bounded, and the result says so. */
function retainedBytes(asked = Number.POSITIVE_INFINITY): number {
  if (asked === Number.POSITIVE_INFINITY) return OUTPUT_BYTES_MAX;
  if (asked <= RETAINED_BYTES_MAX) return asked;
  const expected = `must be at most ${RETAINED_BYTES_MAX}`;
  const hint = 'Take more of an output as it comes, by onStdout and onStderr.';
  throw new InvalidOptionsError({ field: 'options.maxRetainedBytes', rule: 'range', expected, hint });
}
