/** One sandbox of a session: its identity, its bounds, and when it was last used. */
import { randomUUID } from 'node:crypto';
import type { ExposedPort, Sandbox } from '@sbx/core';
import { BackgroundProcesses } from './background-processes.js';
import { ToolError } from './tool-error.js';

/** Of one sandbox, and of each of them. */
const PORTS_MAX = 8;
const CONNECTIONS_MAX = 32;

export interface WorkspaceParts {
  sandbox: Sandbox;
  /** Memory limit of the sandbox, in bytes. */
  memoryBytes: number;
  /** Captured of each output of a program that says nothing; `undefined`: core's default. */
  outputBytes: number | undefined;
  /** Bytes that the names of a folder take while it is listed, at the most. */
  namesBytes: number;
  /** Unread output of a background process that is kept, of each stream, in bytes. */
  unreadBytes: number;
  idleMs: number;
  /** Called once, after the sandbox was closed. */
  onClosed: (workspace: Workspace, reason: 'asked' | 'idle') => void;
}

export class Workspace {
  /** Not to be guessed: over HTTP without sessions it is all that a caller needs. */
  readonly id: string = randomUUID();
  readonly sandbox: Sandbox;
  readonly memoryBytes: number;
  readonly outputBytes: number | undefined;
  readonly namesBytes: number;
  readonly processes: BackgroundProcesses;
  readonly #parts: WorkspaceParts;
  #users = 0;
  #codeCount = 0;
  #timer: NodeJS.Timeout | null = null;
  #closing: Promise<void> | null = null;
  #tail: Promise<unknown> = Promise.resolve();
  readonly #ports = new Map<number, Promise<ExposedPort>>();

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
    this.sandbox = parts.sandbox;
    this.memoryBytes = parts.memoryBytes;
    this.outputBytes = parts.outputBytes;
    this.namesBytes = parts.namesBytes;
    this.processes = new BackgroundProcesses(parts.unreadBytes);
    this.#arm();
  }

  get isClosed(): boolean {
    return this.#closing !== null;
  }

  /** Keeps the sandbox open while `work` runs, and for `idleMs` afterwards. */
  async use<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
    this.#users += 1;
    this.#disarm();
    try {
      return await work(this);
    } finally {
      this.#users -= 1;
      if (this.#users === 0 && !this.isClosed) this.#arm();
    }
  }

  /** A number for the next source file, so that two calls at once do not meet. */
  nextCodeNumber(): number {
    this.#codeCount += 1;
    return this.#codeCount;
  }

  /** One after another: for what writes files under names that it cannot choose. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => undefined); // its caller has it
    return done;
  }

  /** The port of this machine that leads to one of the sandbox; the same each time. */
  expose(port: number): Promise<ExposedPort> {
    const known = this.#ports.get(port);
    if (known !== undefined) return known;
    if (this.#ports.size >= PORTS_MAX) {
      throw new ToolError(
        `This sandbox has ${PORTS_MAX} ports that lead to it, its maximum: ${[...this.#ports.keys()].join(', ')}.`,
      );
    }
    const made = this.sandbox.expose(port, { maxConnections: CONNECTIONS_MAX });
    this.#ports.set(port, made);
    made.catch(() => this.#ports.delete(port)); // the next call may find a descriptor free
    return made;
  }

  close(reason: 'asked' | 'idle' = 'asked'): Promise<void> {
    this.#disarm();
    this.#closing ??= this.sandbox.close().finally(() => this.#parts.onClosed(this, reason));
    return this.#closing;
  }

  #arm(): void {
    this.#timer = setTimeout(() => void this.close('idle'), this.#parts.idleMs).unref();
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
