/**
 * Spans of OpenTelemetry. Its interface is looked for only when a provider of spans was registered in this
 * process, which says so by a symbol of the global object: else a call costs a look at that, and nothing is
 * loaded.
 */
import type * as OpenTelemetry from '@opentelemetry/api';

/** Registrations of all 1.x versions of the interface stand there. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');
const TRACER = 'sbx';

/** What is needed of the global object; `process` is missing in browsers. */
interface Global {
  [REGISTRY]?: { trace?: unknown };
  process?: {
    getBuiltinModule(name: string): { createRequire(url: string): (name: string) => unknown };
  };
}

const here = globalThis as Global;

let api: typeof OpenTelemetry | null | undefined;

/** `null` where no spans are wanted. */
export function openTelemetry(): typeof OpenTelemetry | null {
  if (here[REGISTRY]?.trace === undefined) return null;
  if (api === undefined) api = loadApi();
  return api;
}

/** An optional dependency: where it cannot be found, there are no spans. */
function loadApi(): typeof OpenTelemetry | null {
  try {
    const { createRequire } = here.process!.getBuiltinModule('node:module');
    return createRequire(import.meta.url)('@opentelemetry/api') as typeof OpenTelemetry;
  } catch {
    return null;
  }
}

export interface SpanFacts<T> {
  name: string;
  options?: OpenTelemetry.SpanOptions;
  /** Where it belongs; by default to the span that is active where it is called. */
  parent?: OpenTelemetry.Context;
  /** Of a span whose work resolved. */
  describe(result: T): OpenTelemetry.Attributes;
}

/** Does `work` with a span around it, active inside, where spans are wanted. */
export function traced<T>(work: () => Promise<T>, facts: () => SpanFacts<T>): Promise<T> {
  const api = openTelemetry();
  if (api === null) return work();
  const { name, options = {}, parent = api.context.active(), describe } = facts();
  return tracerOf(api).startActiveSpan(name, options, parent, async (span) => {
    try {
      const result = await work();
      span.setAttributes(describe(result));
      return result;
    } catch (error) {
      failSpan(api, span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

export function tracerOf(api: typeof OpenTelemetry): OpenTelemetry.Tracer {
  return api.trace.getTracer(TRACER);
}

/** Its code says what it was; its message may name files of the program. */
export function failSpan(api: typeof OpenTelemetry, span: OpenTelemetry.Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const type = [code, name].find((word) => typeof word === 'string') ?? typeof error;
  span.setAttribute('error.type', type as string);
  span.setStatus({ code: api.SpanStatusCode.ERROR });
}
