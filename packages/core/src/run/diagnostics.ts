/**
 * Events for tools, through `node:diagnostics_channel`, published where a channel has subscribers. Never
 * code, environment or input.
 */
import { channel } from 'node:diagnostics_channel';
import type { RunResult } from '../types/result.js';

export const PROGRAM_START = channel('sbx:run:start');
export const PROGRAM_END = channel('sbx:run:end');

/** `{ id, file }` */
export function publishStart(id: number, file: string): void {
  PROGRAM_START.publish({ id, file });
}

/** `{ id, status, exitCode, exitSignal, usage }` */
export function publishEnd(id: number, { status, exitCode, exitSignal, usage }: RunResult): void {
  PROGRAM_END.publish({ id, status, exitCode, exitSignal, usage });
}
