/**
 * Events for tools, through `node:diagnostics_channel`; free while nobody listens. Never code, environment or
 * input.
 */
import { channel } from 'node:diagnostics_channel';
import type { RunResult } from '../types/result.js';

const START = channel('sbx:run:start');
const END = channel('sbx:run:end');

/** `{ id, file }` */
export function publishStart(id: number, file: string): void {
  if (START.hasSubscribers) START.publish({ id, file });
}

/** `{ id, status, exitCode, exitSignal, usage }` */
export function publishEnd(id: number, { status, exitCode, exitSignal, usage }: RunResult): void {
  if (END.hasSubscribers) END.publish({ id, status, exitCode, exitSignal, usage });
}
