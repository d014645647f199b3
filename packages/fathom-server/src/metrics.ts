/** Figures for `/metrics`. No label has a value that a client chooses. */
import { TIME_BOUNDS_SECONDS } from '@sbx/serving';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [...TIME_BOUNDS_SECONDS];

export class ServerMetrics {
  readonly registry = new Registry();
  readonly #registers = [this.registry];
  readonly #executions = new Counter({
    name: 'sbx_fathom_executions_total',
    help: 'Executions that have ended, by their last status, or the code of the error that ended them',
    labelNames: ['language', 'status'],
    registers: this.#registers,
  });
  readonly #duration = new Histogram({
    name: 'sbx_fathom_execution_seconds',
    help: 'From running to the end of the process tree',
    labelNames: ['language'],
    buckets: SECONDS,
    registers: this.#registers,
  });
  readonly #wait = new Histogram({
    name: 'sbx_fathom_start_seconds',
    help: 'From ack to running: queue and start',
    labelNames: ['language'],
    buckets: SECONDS,
    registers: this.#registers,
  });
  readonly #messages = new Counter({
    name: 'sbx_fathom_messages_total',
    help: 'Messages of clients, by kind',
    labelNames: ['kind'],
    registers: this.#registers,
  });
  readonly #refusals = new Counter({
    name: 'sbx_fathom_refusals_total',
    help: 'Messages that were refused, by error code',
    labelNames: ['code'],
    registers: this.#registers,
  });

  countMessage(kind: 'execute' | 'cancel' | 'ping' | 'refused'): void {
    this.#messages.inc({ kind });
  }

  countRefusal(code: string): void {
    this.#refusals.inc({ code });
  }

  observeStart(language: string, waitedMs: number): void {
    this.#wait.observe({ language }, waitedMs / 1000);
  }

  observeEnd(language: string, status: string, durationMs: number): void {
    this.#executions.inc({ language, status });
    this.#duration.observe({ language }, durationMs / 1000);
  }

  /** Gauges that are read when somebody asks: name → what it is, and how to read it. */
  watch(gauges: Readonly<Record<string, readonly [help: string, read: () => number]>>): void {
    collectDefaultMetrics({ register: this.registry });
    for (const [name, [help, read]] of Object.entries(gauges)) {
      new Gauge({
        name,
        help,
        registers: this.#registers,
        collect() {
          this.set(read());
        },
      });
    }
  }

  /** Interpreters that wait, and what served the executions of their languages. */
  watchStandby(read: () => Record<string, { warm: number; cold: number; waiting: number }>): void {
    new Gauge({
      name: 'sbx_fathom_standby_waiting',
      help: 'Interpreters that wait for code',
      labelNames: ['language'],
      registers: this.#registers,
      collect() {
        for (const [language, { waiting }] of Object.entries(read())) this.set({ language }, waiting);
      },
    });
    new Counter({
      name: 'sbx_fathom_standby_served_total',
      help: 'Executions by what served them: an interpreter that waited, or an ordinary start',
      labelNames: ['language', 'from'],
      registers: this.#registers,
      collect() {
        this.reset();
        for (const [language, { warm, cold }] of Object.entries(read())) {
          this.inc({ language, from: 'waiting' }, warm);
          this.inc({ language, from: 'start' }, cold);
        }
      },
    });
  }
}
