/**
 * The order of the messages of one execution: what may follow what. A defect of the server, if it is ever
 * broken.
 */
import type { ServerMessage } from '@sbx/fathom-client/wire';

type Phase = 'new' | 'waiting' | 'running' | 'limited' | 'ended' | 'over';
type Step =
  | 'ack'
  | 'running'
  | 'output'
  | 'output-limit'
  | 'cancelled'
  | 'failed'
  | 'terminal'
  | 'result'
  | 'error';

/**
 * Phase → what may come, and the phase after it. `limited`: the output limit was told, and only `failed` may
 * follow. There is no step out of `over`.
 */
const NEXT: Readonly<Record<Phase, Partial<Record<Step, Phase>>>> = {
  new: { ack: 'waiting' },
  waiting: { running: 'running', cancelled: 'ended', error: 'over' },
  running: {
    output: 'running',
    'output-limit': 'limited',
    cancelled: 'ended',
    failed: 'ended',
    terminal: 'ended',
    error: 'over',
  },
  limited: { failed: 'ended' },
  ended: { result: 'over' },
  over: {},
};

/** Messages that belong to an execution. */
export type ExecutionMessage = Exclude<ServerMessage, { type: 'pong' }>;
type Shape = Pick<ExecutionMessage, 'type'> & { status?: string; code?: string };

export class MessageOrder {
  #phase: Phase = 'new';

  /** Nothing may follow for this execution. */
  get isOver(): boolean {
    return this.#phase === 'over';
  }

  /** Throws when this message must not come now. */
  check(message: Shape): void {
    const step = stepOf(message);
    const next = NEXT[this.#phase][step];
    if (next === undefined) throw new Error(`message order: ${step} while ${this.#phase}`);
    this.#phase = next;
  }
}

function stepOf({ type, status, code }: Shape): Step {
  if (type === 'stdout' || type === 'stderr') return 'output';
  if (type === 'error') return code === 'OUTPUT_LIMIT' ? 'output-limit' : 'error';
  if (type !== 'status') return type;
  return status === 'running' || status === 'cancelled' || status === 'failed' ? status : 'terminal';
}
