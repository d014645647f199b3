/** A job as its submitter sees it: a span from the call to the end. */
import type { Span } from '@opentelemetry/api';
import { failSpan, openTelemetry, tracerOf } from '@sbx/shared';
import { JOB_STREAM } from '../names.js';
import type { RecordHeader } from '../wire/record.js';
import { headersOf, type TraceHeaders } from './trace-context.js';

type Api = NonNullable<ReturnType<typeof openTelemetry>>;

export class JobSpan {
  readonly #api: Api;
  readonly #span: Span;

  private constructor(api: Api, span: Span) {
    this.#api = api;
    this.#span = span;
  }

  /** `null` where no spans are wanted. */
  static start(tenant: string, id: string): JobSpan | null {
    const api = openTelemetry();
    if (api === null) return null;
    const span = tracerOf(api).startSpan('sbx.job', {
      kind: api.SpanKind.PRODUCER,
      attributes: {
        'messaging.system': 'nats',
        'messaging.destination.name': JOB_STREAM,
        'sbx.tenant': tenant,
        'sbx.job.id': id,
      },
    });
    return new JobSpan(api, span);
  }

  /** For the job's message. */
  get headers(): TraceHeaders {
    return headersOf(this.#span.spanContext());
  }

  /** Ends with the job. */
  follow(record: Promise<RecordHeader>): void {
    record.then(
      ({ attempt, worker }) => {
        this.#span.setAttributes({ 'sbx.attempt': attempt, 'sbx.worker': worker });
        this.#span.end();
      },
      (error) => this.fail(error),
    );
  }

  fail(error: unknown): void {
    failSpan(this.#api, this.#span, error);
    this.#span.end();
  }
}
