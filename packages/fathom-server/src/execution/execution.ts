/**
 * One execution, from its ticket to its last message. It waits, starts, runs and ends; a cancel, a lost
 * connection or the end of the server may come in each of these states. Its place is given up when the
 * program and all its output are gone, and given to others while nothing but the client is waited for.
 */
import type { RunnerProcess, RunResult } from '@sbx/core';
import { type ExecuteMessage, LIMIT_DEFAULTS } from '@sbx/fathom-client/wire';
import type { Share, Ticket } from '../admission.js';
import { errorMessage, type Failure, failureOf } from '../errors.js';
import { IdleWatch } from './idle-watch.js';
import { type Ending, type EndReason, endingOf, lastMessages, MessageOrder, type Said } from './messages.js';
import { type Outlet, OutputBudget, OutputPump } from './output.js';

/** What an execution needs from the server and from its connection. */
export interface Surroundings {
  share: Share;
  start(message: ExecuteMessage): Promise<RunnerProcess>;
  outlet: Outlet;
  /** Sends a message of this execution. After a `result` or a final error the id is free again. */
  send(message: Said, isLast: boolean): void;
  /** Once at most, and only before `onEnd`. */
  onStart(waitedMs: number, process: RunnerProcess): void;
  /** Exactly once; `status` is the last one, the code of the error that ended it, or `orphaned`. */
  onEnd(status: string, durationMs: number): void;
  /** The sandbox failed. */
  onFailure(error: unknown): void;
  /** A defect of this server. */
  onDefect(error: unknown): void;
}

const ENDED_BY_SERVER: Failure = {
  code: 'INTERNAL_ERROR',
  message: 'The server ended the program.',
  retryable: true,
};

export class Execution {
  readonly id: string;
  readonly #message: ExecuteMessage;
  readonly #around: Surroundings;
  readonly #order = new MessageOrder();
  readonly #admittedAt = performance.now();
  #ticket: Ticket | null = null;
  #process: RunnerProcess | null = null;
  #pumps: OutputPump[] = [];
  /** Made when the program first waits for its client. */
  #idleWatch: IdleWatch | null = null;
  /** Why the server ended it. */
  #reason: EndReason | null = null;
  /** The program's end was seen; what is left is to deliver it. */
  #hasExited = false;
  /** Cancels that came between that moment and the last message. */
  #lateCancels = 0;
  /** Nothing is sent any more: the connection is gone, or the last message was said. */
  #isMute = false;
  /** Its place was granted, and is given up where the program was started. */
  #isGranted = false;
  #isOver = false;
  /** Nothing of it shall live on, also what is only being started. */
  #isKilled = false;
  #graceTimer: NodeJS.Timeout | undefined;
  #setGone!: () => void;
  /** Resolves when nothing of it is left. */
  readonly gone = new Promise<void>((resolve) => {
    this.#setGone = resolve;
  });

  private constructor(message: ExecuteMessage, around: Surroundings) {
    this.id = message.id;
    this.#message = message;
    this.#around = around;
  }

  /** Takes a place and acknowledges; `null` when there is none. */
  static admit(message: ExecuteMessage, around: Surroundings): Execution | null {
    const execution = new Execution(message, around);
    const ticket = around.share.enter(() => void execution.#run());
    if (ticket === null) return null;
    execution.#ticket = ticket;
    execution.#send({ type: 'ack', id: message.id });
    return execution;
  }

  /**
   * One that comes when the end is decided already is answered after the last message; a second one is not
   * answered.
   */
  cancel(): void {
    if (this.#hasExited || this.#reason === 'output-limit') this.#lateCancels += 1;
    else if (this.#reason === null) this.#cancel();
  }

  /** The connection is gone: what runs may go on for a little, unheard. */
  orphan(graceMs: number): void {
    this.#isMute = true;
    for (const pump of this.#pumps) pump.discard();
    this.#graceTimer = setTimeout(() => this.#kill(), graceMs);
    if (graceMs === 0) this.#kill();
  }

  /** The server cannot go on with it. */
  fail({ code, message, retryable }: Failure): void {
    this.#finish([errorMessage(code, message, { id: this.id, retryable })], code, 0);
    this.#kill();
  }

  #cancel(): void {
    this.#reason = 'cancel';
    if (this.#process !== null) {
      for (const pump of this.#pumps) pump.stop();
      this.#process.kill();
      return;
    }
    // It waits, or its sandbox is being made: it has not run, and will not.
    this.#sayEnding({ status: 'cancelled', exitCode: null, durationMs: 0, usage: null });
    this.#kill();
  }

  /** Without a word; the program is waited for where it was started. */
  #kill(): void {
    this.#isKilled = true;
    clearTimeout(this.#graceTimer);
    for (const pump of this.#pumps) pump.stop();
    if (this.#process !== null) this.#process.kill();
    else if (!this.#isGranted) {
      this.#finish([], 'orphaned', 0);
      this.#leave();
    }
  }

  /** A place is free. */
  async #run(): Promise<void> {
    this.#isGranted = true;
    try {
      const process = await this.#around.start(this.#message);
      await this.#follow(process);
    } catch (error) {
      this.#around.onFailure(error);
      this.fail(failureOf(error));
    } finally {
      this.#leave();
    }
  }

  async #follow(process: RunnerProcess): Promise<void> {
    this.#process = process;
    if (this.#isKilled) process.kill();
    try {
      // Its end may have been reported while it was started: a start after that would never end.
      if (!this.#isOver) this.#around.onStart(performance.now() - this.#admittedAt, process);
      this.#send({ type: 'status', id: this.id, status: 'running' });
      this.#pump(process);
      const result = await process.result;
      this.#hasExited = true;
      await Promise.all(this.#pumps.map(({ done }) => done));
      this.#end(result);
    } finally {
      clearTimeout(this.#graceTimer);
      await process.close();
    }
  }

  #pump(process: RunnerProcess): void {
    const { outlet } = this.#around;
    const bytes = this.#message.limits.max_output_bytes ?? LIMIT_DEFAULTS.max_output_bytes;
    const budget = new OutputBudget(bytes);
    const { id } = this;
    for (const type of ['stdout', 'stderr'] as const) {
      const emit = (data: string) => this.#send({ type, id, data });
      const pump = new OutputPump(process[type]!, {
        outlet,
        budget,
        emit,
        onOverflow: () => this.#overflow(),
        onBlocked: (isBlocked) => this.#watchIdle().block(isBlocked),
      });
      if (this.#isMute) pump.discard();
      pump.done.catch(() => undefined); // waited for after the program's end
      this.#pumps.push(pump);
    }
  }

  #watchIdle(): IdleWatch {
    this.#idleWatch ??= new IdleWatch({
      cpuTimeMs: () => this.#process!.usage().cpuTimeMs,
      onIdle: () => this.#ticket!.park(),
      onBusy: () => this.#ticket!.unpark(),
    });
    return this.#idleWatch;
  }

  /**
   * The program wrote one byte too many. What is within the limit is delivered; the program is not waited
   * for.
   */
  #overflow(): void {
    if (this.#reason !== null) return;
    this.#reason = 'output-limit';
    for (const pump of this.#pumps) pump.close();
    this.#process!.kill();
  }

  #end(result: RunResult): void {
    const { limits } = this.#message;
    const ending = endingOf(result, this.#reason, this.#message);
    if (ending === null) return this.fail(ENDED_BY_SERVER);
    if (this.#reason === 'output-limit') {
      const bytes = limits.max_output_bytes ?? LIMIT_DEFAULTS.max_output_bytes;
      const { id } = this;
      this.#send(errorMessage('OUTPUT_LIMIT', `Output exceeded max_output_bytes (${bytes}).`, { id }));
    }
    this.#sayEnding(ending);
  }

  #sayEnding(ending: Ending): void {
    this.#finish(lastMessages(this.id, ending), ending.status, ending.durationMs);
  }

  /** The last messages, and the answers to cancels that came too late. */
  #finish(messages: Said[], status: string, durationMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#around.onEnd(this.#isMute ? 'orphaned' : status, durationMs);
    for (const message of messages) this.#send(message);
    for (; this.#lateCancels > 0 && !this.#isMute; this.#lateCancels -= 1) {
      const text = 'id: this execution had already ended';
      this.#around.send(errorMessage('UNKNOWN_EXECUTION', text, { id: this.id }), true);
    }
    this.#isMute = true;
  }

  #send(message: Said): void {
    if (this.#isMute) return;
    try {
      this.#order.check(message);
    } catch (error) {
      this.#isMute = true;
      return this.#around.onDefect(error);
    }
    this.#around.send(message, this.#order.isOver);
  }

  #leave(): void {
    this.#idleWatch?.stop();
    this.#ticket?.leave();
    this.#setGone();
  }
}
