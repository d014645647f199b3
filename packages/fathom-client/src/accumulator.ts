/** What an execution has come to, from its events: as the sample of the specification, in our names. */
import { type ExecutionUsage, usageOf } from './figures.js';
import type { ExecutionStatus, ServerMessage } from './wire/index.js';
import { isTerminal } from './wire/index.js';

/** Messages of one execution change it; others are for others. */
export class Accumulator {
  readonly executionId: string;
  /** `null` until the first status. */
  status: ExecutionStatus | null = null;
  stdout = '';
  stderr = '';
  /** `null` until the result, and when a signal ended the program. */
  exitCode: number | null = null;
  /** `null` until the result. */
  durationMs: number | null = null;
  usage: ExecutionUsage = {};

  constructor(executionId: string) {
    this.executionId = executionId;
  }

  /** Takes one message in. */
  apply(message: ServerMessage): void {
    if (message.type === 'pong' || message.id !== this.executionId) return;
    if (message.type === 'stdout') this.stdout += message.data;
    else if (message.type === 'stderr') this.stderr += message.data;
    else if (message.type === 'status') this.status = message.status;
    else if (message.type === 'result') {
      this.exitCode = message.exit_code;
      this.durationMs = message.duration_ms;
      this.usage = usageOf(message.resource_usage ?? {});
    }
  }

  /** A terminal status has come; all output was before it. */
  isTerminal(): boolean {
    return this.status !== null && isTerminal(this.status);
  }
}
