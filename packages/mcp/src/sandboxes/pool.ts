/** All sandboxes of a server: how many there may be, and how much memory they may promise together. */
import { DEFAULT_LIMITS, type Engine, type Limits, optionRules, Sandbox } from '@sbx/core';
import type { ResolvedOptions } from '../options.js';
import { ToolError } from './tool-error.js';
import { namesBytesOf } from './walk.js';
import { Workspace, type WorkspaceParts } from './workspace.js';

export type PoolOptions = Pick<
  ResolvedOptions,
  | 'sandboxCountMax'
  | 'memoryBytesMax'
  | 'idleMs'
  | 'limits'
  | 'ceilings'
  | 'network'
  | 'shownBytesMax'
  | 'logger'
>;

/** Who is told that a sandbox is gone. */
export type OnGone = (workspace: Workspace, reason: 'asked' | 'idle') => void;

const MiB = 2 ** 20;
/** Of each output of a background process: a sandbox has sixteen of them, and they are kept for long. */
const UNREAD_BYTES_MAX = 256 * 1024;

export class SandboxPool {
  readonly #engine: Engine;
  readonly #options: PoolOptions;
  readonly #open = new Set<Workspace>();
  /** Those that are being made count as well. */
  #reservedCount = 0;
  #reservedBytes = 0;
  #isClosed = false;

  constructor(engine: Engine, options: PoolOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Limits of a sandbox where a call asks for these. */
  limitsFor(asked: Limits): Limits {
    return { ...this.#options.limits, ...asked };
  }

  async create(asked: Limits, signal: AbortSignal | undefined, onGone: OnGone): Promise<Workspace> {
    optionRules.checkCeilings(asked, this.#options.ceilings);
    const limits = this.limitsFor(asked);
    const memoryBytes = limits.memoryBytes ?? DEFAULT_LIMITS.memoryBytes!;
    this.#reserve(memoryBytes);
    try {
      const { network } = this.#options;
      const shape = { network: network === 'loopback' ? ('loopback' as const) : (false as const) };
      const sandbox = await Sandbox.create({ engine: this.#engine, limits, signal, ...shape });
      return await this.#adopt(
        sandbox,
        { memoryBytes, outputBytes: limits.outputBytes ?? undefined, namesBytes: namesBytesOf(limits) },
        onGone,
      );
    } catch (error) {
      this.#release(memoryBytes);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((workspace) => workspace.close()));
  }

  async #adopt(
    sandbox: Sandbox,
    sizes: Pick<WorkspaceParts, 'memoryBytes' | 'outputBytes' | 'namesBytes'>,
    onGone: OnGone,
  ): Promise<Workspace> {
    if (this.#isClosed) {
      await sandbox.close();
      throw new ToolError('The server is shutting down.');
    }
    const onClosed: OnGone = (workspace, reason) => {
      this.#open.delete(workspace);
      this.#release(sizes.memoryBytes);
      this.#options.logger.debug({ reason, sandboxes: this.#open.size }, 'sandbox closed');
      onGone(workspace, reason);
    };
    const { idleMs, shownBytesMax } = this.#options;
    const unreadBytes = Math.min(shownBytesMax, UNREAD_BYTES_MAX);
    const workspace = new Workspace({ sandbox, ...sizes, unreadBytes, idleMs, onClosed });
    this.#open.add(workspace);
    this.#options.logger.debug({ sandboxes: this.#open.size }, 'sandbox opened');
    return workspace;
  }

  #reserve(memoryBytes: number): void {
    const { sandboxCountMax, memoryBytesMax } = this.#options;
    if (this.#isClosed) throw new ToolError('The server is shutting down.');
    if (this.#reservedCount >= sandboxCountMax) {
      throw new ToolError(
        `This server has ${sandboxCountMax} sandboxes open, its maximum. Close one with close_sandbox, or try again later.`,
      );
    }
    const freeBytes = memoryBytesMax - this.#reservedBytes;
    if (memoryBytes > freeBytes) {
      throw new ToolError(
        `A sandbox of ${mebibytes(memoryBytes)} MiB does not fit: ${mebibytes(freeBytes)} MiB are free on this server. ` +
          'Ask for less with limits.memoryBytes, or close a sandbox with close_sandbox.',
      );
    }
    this.#reservedCount += 1;
    this.#reservedBytes += memoryBytes;
  }

  #release(memoryBytes: number): void {
    this.#reservedCount -= 1;
    this.#reservedBytes -= memoryBytes;
  }
}

function mebibytes(bytes: number): number {
  return Math.max(0, Math.floor(bytes / MiB));
}
