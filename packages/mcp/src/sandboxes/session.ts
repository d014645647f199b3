/**
 * The sandboxes of one session. A session of its own (stdio, an HTTP session) has one that is made when it is
 * first needed, and more by `create_sandbox`. HTTP without sessions (protocol 2026-07-28) has only those:
 * their id is what makes them the caller's, and a program without one runs in a sandbox that is gone
 * afterwards.
 */
import type { Limits } from '@sbx/core';
import type { SandboxPool } from './pool.js';
import { ToolError } from './tool-error.js';
import { namesBytesOf } from './walk.js';
import type { Workspace } from './workspace.js';

export interface SessionOptions {
  /** Whether calls without an id share a sandbox. */
  hasDefault: boolean;
  /** `null`: only the server's own bound. */
  sandboxCountMax: number | null;
  idleMs: number;
}

/** Where a call finds itself. */
export interface SandboxInUse {
  workspace: Workspace;
  /** Its id for the caller; `null` where it is gone after the call. */
  id: string | null;
  /** Something that the caller would not expect of it. */
  note: string | null;
}

/** One that stays. */
export type StayingSandbox = SandboxInUse & { id: string };

/** What a call does in a sandbox. */
export type Work<T> = (inUse: SandboxInUse) => Promise<T>;

export class SandboxSession {
  readonly #pool: SandboxPool;
  readonly #options: SessionOptions;
  readonly #open = new Map<string, Workspace>();
  #default: Promise<Workspace> | null = null;
  /** To be told with the next default sandbox. */
  #lostNote: string | null = null;
  #makingCount = 0;
  #isClosed = false;
  #hasBeenUsed = false;

  constructor(pool: SandboxPool, options: SessionOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /** Whether anything ever was to be done in a sandbox of it. */
  get hasBeenUsed(): boolean {
    return this.#hasBeenUsed;
  }

  /** Sandboxes that are open or being made. */
  get sandboxCount(): number {
    return this.#open.size + this.#makingCount;
  }

  /** Of programs in this sandbox, or in the session's own; `undefined`: as core has it. */
  outputBytesOf(id: string | undefined): number | undefined {
    if (id !== undefined) return this.#open.get(id)?.outputBytes;
    return this.#pool.limitsFor({}).outputBytes ?? undefined;
  }

  /** Bytes of the names of a folder of this sandbox, or of the session's own, while it is listed. */
  namesBytesOf(id: string | undefined): number {
    const workspace = id === undefined ? undefined : this.#open.get(id);
    return workspace?.namesBytes ?? namesBytesOf(this.#pool.limitsFor({}));
  }

  /** Those that a list may name: never another caller's. */
  list(): Workspace[] {
    return this.#options.hasDefault ? [...this.#open.values()] : [];
  }

  find(id: string): Workspace {
    this.#hasBeenUsed = true;
    const workspace = this.#open.get(id);
    if (workspace !== undefined && !workspace.isClosed) return workspace;
    throw new ToolError(
      `There is no sandbox with this id; it may have been closed after ${this.#options.idleMs / 1000} s without use. Make one with create_sandbox.`,
    );
  }

  async create(limits: Limits, signal?: AbortSignal): Promise<Workspace> {
    const { sandboxCountMax } = this.#options;
    this.#hasBeenUsed = true;
    if (this.#isClosed) throw new ToolError('The session has ended.');
    if (sandboxCountMax !== null && this.sandboxCount >= sandboxCountMax) {
      throw new ToolError(
        `This session has ${sandboxCountMax} sandboxes open, its maximum. Close one with close_sandbox first.`,
      );
    }
    this.#makingCount += 1;
    try {
      const workspace = await this.#pool.create(limits, signal, (gone) => this.#open.delete(gone.id));
      this.#open.set(workspace.id, workspace);
      if (this.#isClosed) await workspace.close();
      return workspace;
    } finally {
      this.#makingCount -= 1;
    }
  }

  /** Runs `work` in the sandbox with this id, else in the session's own, else in one of its own. */
  async use<T>(id: string | undefined, signal: AbortSignal, work: Work<T>): Promise<T> {
    if (id !== undefined) return this.find(id).use((workspace) => work({ workspace, id, note: null }));
    if (this.#options.hasDefault) {
      const workspace = await this.#defaultOne();
      const note = this.#lostNote;
      this.#lostNote = null;
      return workspace.use(() => work({ workspace, id: workspace.id, note }));
    }
    const workspace = await this.create({}, signal);
    try {
      return await workspace.use(() => work({ workspace, id: null, note: GONE_NOTE }));
    } finally {
      await workspace.close();
    }
  }

  /** As `use`, for calls about files, which are pointless in a sandbox that is gone afterwards. */
  async useFiles<T>(
    id: string | undefined,
    signal: AbortSignal,
    work: (inUse: StayingSandbox) => Promise<T>,
  ): Promise<T> {
    if (id === undefined && !this.#options.hasDefault) {
      throw new ToolError('Say which sandbox: make one with create_sandbox and give its id as `sandbox`.');
    }
    return this.use(id, signal, (inUse) => work({ ...inUse, id: inUse.workspace.id }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open.values()].map((workspace) => workspace.close()));
  }

  async #defaultOne(): Promise<Workspace> {
    const awaited = this.#default;
    const known = await awaited?.catch(() => null);
    if (known && !known.isClosed) return known;
    // Another call has begun to make one meanwhile.
    if (this.#default !== null && this.#default !== awaited) return this.#default;
    if (known) this.#lostNote = LOST_NOTE;
    // Not bound to the signal of the call that happens to be first: others may wait for the same sandbox.
    this.#default = this.create({});
    return this.#default;
  }
}

const GONE_NOTE =
  'This ran in a sandbox of its own, which is gone with its files. For files that stay make one with create_sandbox.';
const LOST_NOTE = 'The sandbox used before was closed; this one is new, and its work folder was empty.';
