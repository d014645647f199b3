/**
 * The layout that programs of 2018 spoke: seven pipes, the digits reversed (see `request.ts`), and a pipe for
 * each value, without line feeds. Only to drive old clients.
 */
import type { FifoReading } from './reply.js';
import { statusLine } from './reply.js';
import { parseStatus } from './state.js';

/** Names of its seven pipes. */
export const LEGACY_PIPES = {
  wait: 'wait.pipe',
  status: 'status.pipe',
  cpuTime: 'time_usage.pipe',
  memory: 'memory_usage.pipe',
  error: 'error.pipe',
  downward: 'downward.pipe',
  upward: 'upward.pipe',
} as const;

/** Reply pipes in the order in which its clients open them, blocking on each. */
export const LEGACY_REPLY_ORDER: readonly string[] = [
  LEGACY_PIPES.status,
  LEGACY_PIPES.cpuTime,
  LEGACY_PIPES.memory,
  LEGACY_PIPES.error,
];

/** What a reading is there: a name, seconds as a decimal, bytes, and prose or nothing. */
export function encodeLegacyReply({ cpuTimeUs, memoryBytes, status }: FifoReading): Uint8Array[] {
  const name = legacyState(status);
  const error = name === 'TERMINATED_WITH_ERROR' || status.includes(';') ? statusLine(status) : '';
  const values = [name, (cpuTimeUs / 1e6).toFixed(6), String(memoryBytes), error];
  return values.map((value) => new TextEncoder().encode(value));
}

function legacyState(status: string): string {
  const { state } = parseStatus(status);
  if (state?.kind === 'running' || state?.kind === 'starting') return 'RUNNING';
  const isFine = state?.kind === 'forced' || (state?.kind === 'exited' && state.exitStatus === 0);
  return isFine ? 'TERMINATED_SUCCESSFULLY' : 'TERMINATED_WITH_ERROR';
}
