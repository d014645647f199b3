/** Every message, as on the wire: its own names and units. */
import type { WireErrorCode } from './errors.js';

/** Languages that every server of this protocol names so; a server may offer others too. */
export const LANGUAGES = ['python', 'javascript', 'shell', 'elixir'] as const;
/** One of `LANGUAGES`. */
export type Language = (typeof LANGUAGES)[number];

/** What every message has. */
export interface Envelope {
  /** Protocol version. */
  v: 1;
  type: string;
  /** When the message was made: ISO 8601 with milliseconds, UTC. Nothing depends on it. */
  ts: string;
}

/** What an execution may use. */
export interface ExecuteLimits {
  /** Wall time of the execution itself, in ms; waiting for a place does not count. */
  timeout_ms: number;
  /** Memory of the whole process tree, in MB of 1 048 576 bytes. */
  memory_mb: number;
  /** Relative weight when CPUs are short; 1024 is a normal one. Default 512. */
  cpu_shares?: number | null;
  /** Raw bytes of stdout and stderr together. Default 1 048 576. */
  max_output_bytes?: number | null;
}

/** Starts an execution. */
export interface ExecuteMessage extends Envelope {
  type: 'execute';
  /** 1 to 256 characters; free again after the end. */
  id: string;
  language: Language | (string & {});
  code: string;
  /** Absent, `null` and empty: end of file at once. */
  stdin?: string | null;
  /** Added to the server's small clean environment; the client's values win. */
  env?: Record<string, string> | null;
  limits: ExecuteLimits;
}

/** Ends an execution of the same connection. */
export interface CancelMessage extends Envelope {
  type: 'cancel';
  id: string;
}

/** Asks whether the server lives. */
export interface PingMessage extends Envelope {
  type: 'ping';
  /** Comes back in the pong. */
  id?: string;
}

/** What a client sends. */
export type ClientMessage = ExecuteMessage | CancelMessage | PingMessage;

/** The execution was taken; it has not started yet. */
export interface AckMessage extends Envelope {
  type: 'ack';
  id: string;
}

/** Every status; all but `running` are terminal. */
export const STATUSES = ['running', 'completed', 'failed', 'cancelled', 'timeout', 'oom'] as const;
/** One of `STATUSES`. */
export type ExecutionStatus = (typeof STATUSES)[number];
/** A status after which only the result comes. */
export type TerminalStatus = Exclude<ExecutionStatus, 'running'>;

/** The state of an execution changed. */
export interface StatusMessage extends Envelope {
  type: 'status';
  id: string;
  status: ExecutionStatus;
}

/** Output. In order within its stream; between the two streams there is no order. */
export interface OutputMessage extends Envelope {
  type: 'stdout' | 'stderr';
  id: string;
  /** Valid text by itself; may be empty. What was no UTF-8 has become U+FFFD. */
  data: string;
}

/** What was used. A figure that could not be measured is absent. */
export interface ResourceUsage {
  /** High-water mark, rounded up. */
  peak_memory_mb?: number;
  /** User and system time of the whole tree. */
  cpu_time_ms?: number;
}

/** Follows a terminal status at once, and is the last message of its execution. */
export interface ResultMessage extends Envelope {
  type: 'result';
  id: string;
  /** `null` when the program was killed by a signal. */
  exit_code: number | null;
  /** From `running` to the end of the process tree. */
  duration_ms: number;
  resource_usage?: ResourceUsage;
}

/** A request was refused, or an execution could not go on. With an id: the end of that execution. */
export interface ErrorMessage extends Envelope {
  type: 'error';
  /** Absent when the message that caused it had none that could be read. */
  id?: string;
  code: WireErrorCode;
  /** For people. */
  message: string;
  /** The same request may succeed later. */
  retryable: boolean;
}

/** Load of the whole server, not of the connection. */
export interface ServerLoad {
  /** Executions that run. */
  active_executions: number;
  /** Executions that were acknowledged and wait. */
  queue_depth: number;
}

/** Answers a ping. */
export interface PongMessage extends Envelope {
  type: 'pong';
  id?: string;
  load?: ServerLoad;
}

/** What a server sends. */
export type ServerMessage =
  | AckMessage
  | StatusMessage
  | OutputMessage
  | ResultMessage
  | ErrorMessage
  | PongMessage;

/** Every type of message, and who sends it. */
export const MESSAGE_TYPES = {
  execute: 'client',
  cancel: 'client',
  ping: 'client',
  ack: 'server',
  status: 'server',
  stdout: 'server',
  stderr: 'server',
  result: 'server',
  error: 'server',
  pong: 'server',
} as const satisfies Record<(ClientMessage | ServerMessage)['type'], 'client' | 'server'>;
/** A type of message. */
export type MessageType = keyof typeof MESSAGE_TYPES;

/** Whether only the result comes after this status. */
export function isTerminal(status: ExecutionStatus): status is TerminalStatus {
  return status !== 'running';
}
