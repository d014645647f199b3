/** `sbx fifo ask`: one request of the two-pipe protocol, with an end in any case. */
import { FifoClient, type FifoReading, parseStatus } from '@sbx/fifo-client';
import { EXIT } from '../exit-codes.js';
import type { FifoAskFlags } from '../flags.js';
import { printable, printJson } from '../terminal.js';
import { parseDurationMs } from '../units.js';
import { UsageError } from '../usage-error.js';

const TIMEOUT_MS = 10_000;

/** Gives the exit code; throws what `reportFailure` tells. */
export async function fifoAskCommand(dir: string, request: string, flags: FifoAskFlags): Promise<number> {
  if (request !== '1' && request !== '0')
    throw new UsageError(`the request is 1 (go on) or 0 (end the program); got ${JSON.stringify(request)}`);
  const client = new FifoClient(dir, { requestTimeoutMs: timeoutOf(flags.timeout) });
  const reading = await client.wait({ terminate: request === '0' });
  if (flags.json) printJson({ version: 1, command: 'fifo', ...describeReading(reading) });
  else process.stdout.write(`${reading.cpuTimeUs}\n${reading.memoryBytes}\n${printable(reading.status)}\n`);
  return EXIT.ok;
}

/** `null`: as long as the manager lives. */
function timeoutOf(text: string | undefined): number | null {
  if (text === undefined) return TIMEOUT_MS;
  if (text === 'none') return null;
  const ms = parseDurationMs(text, '--timeout');
  if (ms > 0) return ms;
  throw new UsageError('--timeout: must be longer than 0; "none" waits as long as the manager lives');
}

function describeReading(reading: FifoReading): FifoReading & { state: string | null } {
  return { ...reading, state: parseStatus(reading.status).state?.kind ?? null };
}
