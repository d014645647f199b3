/** Events of an engine's helper for tools, through `node:diagnostics_channel`; free while nobody listens. */
import { channel } from 'node:diagnostics_channel';
import type { SbxError } from '../errors.js';

const LOST = channel('sbx:helper:lost');
const RESTARTED = channel('sbx:helper:restarted');

/** `{ error }` */
export function publishHelperLost(error: SbxError): void {
  if (LOST.hasSubscribers) LOST.publish({ error });
}

/** `{ restarts, downMs }`: how many there have been, and for how long there was no helper. */
export function publishHelperRestarted(restarts: number, downMs: number): void {
  if (RESTARTED.hasSubscribers) RESTARTED.publish({ restarts, downMs });
}
