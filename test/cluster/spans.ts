/** Spans of OpenTelemetry that this process makes, for tests: what its SDK was given when they ended. */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

export class Spans {
  readonly #exporter = new InMemorySpanExporter();
  readonly #contexts = new AsyncLocalStorageContextManager().enable();
  readonly #provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(this.#exporter)],
  });

  register(): void {
    trace.setGlobalTracerProvider(this.#provider);
    context.setGlobalContextManager(this.#contexts);
  }

  async unregister(): Promise<void> {
    trace.disable();
    context.disable();
    await this.#provider.shutdown();
  }

  /** Does `work` within a span of the test's own, whose id it gives. */
  async within(work: () => Promise<unknown>): Promise<{ traceId: string; spanId: string }> {
    this.#exporter.reset();
    const tracer = trace.getTracer('test');
    return tracer.startActiveSpan('test', async (span) => {
      await work();
      span.end();
      return span.spanContext();
    });
  }

  /** Those that have ended, by name; each name once. */
  get ended(): Record<string, ReadableSpan> {
    const spans = this.#exporter.getFinishedSpans();
    return Object.fromEntries(spans.map((span) => [span.name, span]));
  }
}

export function parentOf(span: ReadableSpan | undefined): { spanId: string; isRemote: boolean } {
  const { spanId = '', isRemote = false } = span?.parentSpanContext ?? {};
  return { spanId, isRemote };
}
