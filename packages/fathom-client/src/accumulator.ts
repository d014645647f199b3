/** What an execution has come to, from its events: as the sample of the specification, in our names. */
import { type ExecutionUsage, usageOf } from './figures.js';
import { TextPile } from './text-pile.js';
import type { ExecutionStatus, ServerMessage } from './wire/index.js';
import { isTerminal } from './wire/index.js';

/** Messages of one execution change it; others are for others. */
export class Accumulator {
  readonly executionId: string;
  /** `null` until the first status. */
  status: ExecutionStatus | null = null;
  /** There was more output than is kept; what was kept of it is its beginning. */
  truncated = false;
  /** `null` until the result, and when a signal ended the program. */
  exitCode: number | null = null;
  /** `null` until the result. */
  durationMs: number | null = null;
  usage: ExecutionUsage = {};

  readonly #outputLengthMax: number;
  readonly #stdout = new TextPile();
  readonly #stderr = new TextPile();

  /** `outputLengthMax`: of stdout and stderr together, in UTF-16 units. */
  constructor(executionId: string, outputLengthMax: number) {
    this.executionId = executionId;
    this.#outputLengthMax = outputLengthMax;
  }

  get stdout(): string {
    return this.#stdout.text;
  }

  get stderr(): string {
    return this.#stderr.text;
  }

  /** Takes one message in. */
  apply(message: ServerMessage): void {
    if (message.type === 'pong' || message.id !== this.executionId) return;
    if (message.type === 'stdout') this.#stdout.add(this.#kept(message.data));
    else if (message.type === 'stderr') this.#stderr.add(this.#kept(message.data));
    else if (message.type === 'status') this.status = message.status;
    else if (message.type === 'result') {
      this.exitCode = message.exit_code;
      this.durationMs = message.duration_ms;
      this.usage = usageOf(message.resource_usage ?? {});
    }
  }

  /** Behind a gap nothing is kept. */
  #kept(text: string): string {
    if (this.truncated) return '';
    const room = this.#outputLengthMax - this.#stdout.length - this.#stderr.length;
    if (text.length <= room) return text;
    this.truncated = true;
    return text.slice(0, room).replace(/[\ud800-\udbff]$/, ''); // no half of a character
  }

  /** A terminal status has come; all output was before it. */
  isTerminal(): boolean {
    return this.status !== null && isTerminal(this.status);
  }
}
