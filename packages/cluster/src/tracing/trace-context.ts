/** Which span a job belongs to, as W3C Trace Context has it: headers of the job's message. */
import type { Context, SpanContext } from '@opentelemetry/api';
import { openTelemetry } from '@sbx/shared';

export interface TraceHeaders {
  traceparent: string;
  /** `''`: none. */
  tracestate: string;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const TRACESTATE_LENGTH_MAX = 512;

export function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceHeaders {
  const flags = (traceFlags & 0xff).toString(16).padStart(2, '0');
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() ?? '' };
}

/** Those of a message, where spans are wanted here; `null` when there are none, or none that can be read. */
export function readTraceHeaders(get: (name: string) => string | undefined): TraceHeaders | null {
  if (openTelemetry() === null) return null;
  const traceparent = get('traceparent') ?? '';
  if (!TRACEPARENT.test(traceparent)) return null;
  const tracestate = get('tracestate') ?? '';
  return { traceparent, tracestate: tracestate.length > TRACESTATE_LENGTH_MAX ? '' : tracestate };
}

/** The span of the submitter as a parent; `null` when there is none. */
export function contextOf(headers: TraceHeaders | null): Context | null {
  const api = openTelemetry();
  const [, traceId, spanId, flags] = TRACEPARENT.exec(headers?.traceparent ?? '') ?? [];
  if (api === null || traceId === undefined || spanId === undefined) return null;
  const traceFlags = Number.parseInt(flags!, 16);
  const traceState = api.createTraceState(headers?.tracestate);
  const span = { traceId, spanId, traceFlags, traceState, isRemote: true };
  return api.isSpanContextValid(span) ? api.trace.setSpanContext(api.ROOT_CONTEXT, span) : null;
}
