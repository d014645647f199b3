/** A living program on another machine. */
import {
  InvalidOptionsError,
  type LiveUsage,
  type ProcessEvent,
  type RunnerOptions,
  type RunnerProcess,
  type RunResult,
  signalNumber,
} from '@sbx/core';
import { mergeOutputs } from '@sbx/shared';
import { WorkerLostError } from '../errors.js';
import type { Channel } from '../session/channel.js';
import type { SessionMessage } from '../wire/session.js';
import { RemoteInput, RemoteOutput } from './remote-streams.js';

const NO_USAGE: LiveUsage = {
  cpuTimeMs: 0,
  wallTimeMs: 0,
  memoryPeakBytes: null,
  fileCacheBytes: null,
  processPeakCount: null,
  memoryBytes: null,
};
const LOST_OUTPUT = 'The worker disappeared before all output of the program had come';
const SIZE_MAX = 65_535;

export interface RemoteProcessParts {
  channel: Channel;
  options: RunnerOptions;
  result: Promise<RunResult>;
}

export class RemoteProcess implements RunnerProcess {
  readonly id = 1;
  readonly result: Promise<RunResult>;
  /** Resolves when the program executes. */
  readonly started: Promise<void>;
  readonly #channel: Channel;
  readonly #inputs = new Map<number, RemoteInput>();
  readonly #outputs = new Map<number, RemoteOutput>();
  #setStarted: () => void = () => undefined;
  #usage = NO_USAGE;
  #hasEnded = false;

  constructor({ channel, options, result }: RemoteProcessParts) {
    this.#channel = channel;
    this.result = result;
    this.started = new Promise((resolve) => {
      this.#setStarted = resolve;
    });
    for (const [fd, direction] of pipesOf(options)) {
      if (direction === 'input') this.#inputs.set(fd, this.#makeInput(fd));
      else this.#outputs.set(fd, new RemoteOutput(() => void channel.send({ kind: 'output-destroy', fd })));
    }
    result.then(
      ({ usage }) => {
        this.#end({ ...usage, memoryBytes: 0 });
        if (!this.#leaveAtEnd()) channel.expectMore();
      },
      () => this.#fail(null), // the result says why
    );
  }

  get stdin(): RemoteInput | null {
    return this.#inputs.get(0) ?? null;
  }

  get stdout(): RemoteOutput | null {
    return this.#outputs.get(1) ?? null;
  }

  get stderr(): RemoteOutput | null {
    return this.#outputs.get(2) ?? null;
  }

  get fds(): Record<number, RemoteInput | RemoteOutput> {
    return Object.fromEntries([...this.#inputs, ...this.#outputs]);
  }

  /** A message of its worker. */
  take(message: SessionMessage, bytes: Uint8Array): Promise<unknown> | undefined {
    switch (message.kind) {
      case 'started':
        this.#setStarted();
        return undefined;
      case 'output':
        return this.#outputs.get(message.fd)?.push(Uint8Array.from(bytes));
      case 'output-end':
        this.#outputs.get(message.fd)?.finish();
        this.#leaveAtEnd();
        return undefined;
      case 'input-closed':
        this.#inputs.get(message.fd)?.close();
        return undefined;
      case 'usage':
        if (!this.#hasEnded) this.#usage = message.usage;
        return undefined;
      default:
        return undefined; // what only submitters say
    }
  }

  /** Its worker says nothing any more: whoever reads is told that there was more. */
  lose(): void {
    this.#fail(new WorkerLostError(1, LOST_OUTPUT));
  }

  kill(signal?: NodeJS.Signals | number): void {
    const number = signal === undefined ? null : signalNumber(signal);
    if (signal !== undefined && number === null) {
      const expected = 'must be the name or number of a signal';
      throw new InvalidOptionsError({ field: 'signal', rule: 'choice', expected, got: String(signal) });
    }
    if (!this.#hasEnded) void this.#channel.send({ kind: 'kill', signal: number });
  }

  resize(cols: number, rows: number): void {
    for (const [field, value] of Object.entries({ cols, rows })) {
      if (Number.isInteger(value) && value >= 0 && value <= SIZE_MAX) continue;
      const expected = `must be an integer from 0 to ${SIZE_MAX}`;
      throw new InvalidOptionsError({ field, rule: 'range', expected, got: String(value) });
    }
    if (!this.#hasEnded) void this.#channel.send({ kind: 'resize', cols, rows });
  }

  usage(): LiveUsage {
    return { ...this.#usage };
  }

  async close(): Promise<void> {
    this.kill();
    await this.result.catch(() => undefined);
    for (const output of this.#outputs.values()) output.destroy();
    this.#channel.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ProcessEvent, void, undefined> {
    const { stdout, stderr } = this;
    if (stdout === null && stderr === null) {
      const expected = 'can be iterated only where stdout or stderr is a pipe';
      const hint = "Spawn it with stdout: 'pipe' or stderr: 'pipe', or await its result.";
      throw new InvalidOptionsError({ field: 'process', rule: 'conflict', expected, hint });
    }
    yield* mergeOutputs({ stdout, stderr });
    yield { kind: 'exit', result: await this.result };
  }

  /** When there is a result and nothing more to come. */
  #leaveAtEnd(): boolean {
    if (!this.#hasEnded || [...this.#outputs.values()].some(({ hasEnded }) => !hasEnded)) return false;
    this.#channel.closeSoon();
    return true;
  }

  #fail(error: Error | null): void {
    this.#end(this.#usage);
    for (const output of this.#outputs.values()) output.finish(error);
    this.#channel.close();
  }

  #end(usage: LiveUsage): void {
    this.#usage = usage;
    this.#hasEnded = true;
    for (const input of this.#inputs.values()) input.close();
  }

  #makeInput(fd: number): RemoteInput {
    return new RemoteInput({
      send: (bytes) => this.#channel.send({ kind: 'input', fd }, bytes),
      sendEnd: () => void this.#channel.send({ kind: 'input-end', fd }),
    });
  }
}

/** Descriptors that are streams, and their way as seen from the program. */
export function pipesOf({ stdin, stdout, stderr, fds, pty }: RunnerOptions): Map<number, 'input' | 'output'> {
  const pipes = new Map<number, 'input' | 'output'>();
  if (pty !== undefined) {
    pipes.set(0, 'input');
    if (pty.capture === undefined) pipes.set(1, 'output');
  }
  if (stdin === 'pipe') pipes.set(0, 'input');
  if (stdout === 'pipe') pipes.set(1, 'output');
  if (stderr === 'pipe') pipes.set(2, 'output');
  for (const [fd, spec] of Object.entries(fds ?? {})) {
    pipes.delete(Number(fd));
    if ('input' in spec && spec.input === 'pipe') pipes.set(Number(fd), 'input');
    if ('output' in spec && spec.output === 'pipe') pipes.set(Number(fd), 'output');
  }
  return pipes;
}
