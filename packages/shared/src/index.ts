/** What packages share that may depend on nothing of ours. Built into each of them. */
export { onAbort, unlessAborted } from './abort.js';
export { type AdmissionBounds, type AdmissionErrors, AdmissionQueue } from './admission-queue.js';
export { type BackoffTimes, backoffMs } from './backoff.js';
export { causeCodes, noAnswerFrom } from './cause-code.js';
export { formatCpuList } from './cpu-list.js';
export { headerValue } from './header-value.js';
export { textHasMoreValues } from './json-values.js';
export { linesOf } from './lines.js';
export { mergeOutputs, type OpenableOutput, type OpenOutput } from './merge-outputs.js';
export { nearestName } from './nearest-name.js';
export { TIMER_MS_MAX } from './timers.js';
export { tokenSubprotocol } from './token-subprotocol.js';
export { failSpan, openTelemetry, type SpanFacts, traced, tracerOf } from './tracing.js';
