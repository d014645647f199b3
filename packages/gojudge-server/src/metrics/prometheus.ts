/** go-judge's metrics under its own names. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Engine, type Runner } from '@sbx/core';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, Summary } from 'prom-client';
import type { ProgramResult } from '../judge/program-result.js';
import type { ServerContext } from '../judge/run-job.js';
import { countBody } from './body-bytes.js';
import type { Metrics, Observe } from './metrics.js';

const TIME_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1, 2, 5, 10, 20, 50, 100];
const MEMORY_BUCKETS = Array.from({ length: 21 }, (_, power) => 4096 * 2 ** power);
const FILE_BUCKETS = Array.from({ length: 20 }, (_, power) => 256 * 2 ** power);
const HTTP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #errors = new Counter({
    name: 'go_judge_exec_error_count',
    help: 'Number of requests that failed as a whole',
    registers: this.#registers,
  });
  readonly #time = new Histogram({
    name: 'go_judge_exec_time_seconds',
    help: 'CPU time of programs',
    labelNames: ['status'],
    buckets: TIME_BUCKETS,
    registers: this.#registers,
  });
  readonly #memory = new Histogram({
    name: 'go_judge_exec_memory_bytes',
    help: 'Peak memory of programs',
    labelNames: ['status'],
    buckets: MEMORY_BUCKETS,
    registers: this.#registers,
  });
  readonly #fileSize = new Histogram({
    name: 'go_judge_file_size_bytes',
    help: 'Sizes of stored files',
    buckets: FILE_BUCKETS,
    registers: this.#registers,
  });
  readonly #requests = new Counter({
    name: 'gin_requests_total',
    help: 'HTTP requests',
    labelNames: ['code', 'method', 'handler', 'host', 'url'],
    registers: this.#registers,
  });
  readonly #duration = new Histogram({
    name: 'gin_request_duration_seconds',
    help: 'Latency of HTTP requests',
    labelNames: ['code', 'method', 'url'],
    buckets: HTTP_BUCKETS,
    registers: this.#registers,
  });
  readonly #requestSize = this.#summary('gin_request_size_bytes', 'Sizes of HTTP requests');
  readonly #responseSize = this.#summary('gin_response_size_bytes', 'Sizes of HTTP answers');
  #streams = 0;
  #engine: Runner | null = null;

  observeResult({ status, timeNs, memoryBytes }: ProgramResult): void {
    this.#time.observe({ status }, timeNs / 1e9);
    this.#memory.observe({ status }, memoryBytes);
  }

  observeFailure(): void {
    this.#errors.inc();
  }

  observeFile(bytes: number): void {
    this.#fileSize.observe(bytes);
  }

  watchHttp(request: IncomingMessage, response: ServerResponse): (pattern: string) => void {
    const { method = '', headers } = request;
    const observe = this.watchSimple(method, Number(headers['content-length'] ?? 0));
    const bodyBytes = countBody(response);
    return (pattern) => observe(pattern, response.statusCode, bodyBytes());
  }

  /** The host that a client names is no label, nor is its own path: there are too many of both. */
  watchSimple(method: string, requestBytes: number): Observe {
    const startedAt = performance.now();
    const known = KNOWN_METHODS.has(method) ? method : 'OTHER';
    return (pattern, status, bodyBytes) => {
      const code = String(status);
      this.#requests.inc({ code, method: known, handler: pattern, host: '', url: pattern });
      const seconds = (performance.now() - startedAt) / 1000;
      this.#duration.observe({ code, method: known, url: pattern }, seconds);
      this.#requestSize.observe(requestBytes);
      this.#responseSize.observe(bodyBytes);
    };
  }

  countStream(change: 1 | -1): void {
    this.#streams += change;
  }

  watch({ engine, store, workers }: ServerContext): void {
    this.#engine = engine;
    collectDefaultMetrics({ register: this.#registry });
    const gauges: readonly [string, string, () => number][] = [
      ['go_judge_file_current_bytes_count', 'Number of stored files', () => store.totals.count],
      ['go_judge_file_current_bytes_sum', 'Bytes of stored files', () => store.totals.bytes],
      ['go_judge_environment_count', 'Sandboxes that ran a program', () => engine.counters().startedTotal],
      ['go_judge_environment_current_count', 'Sandboxes in use', () => engine.counters().sandboxes],
      ['go_judge_worker_queue_count', 'Requests that wait', () => workers.waiting],
      ['go_judge_worker_running_count', 'Requests that run', () => workers.running + this.#streams],
    ];
    for (const [name, help, read] of gauges) this.#gauge(name, help, read);
    if (engine instanceof Engine && engine.usage().cpuTimeMs !== null) this.#watchGroups(engine);
  }

  async read(): Promise<{ text: string; type: string }> {
    const pages = [await this.#registry.metrics(), this.#engine?.metrics?.() ?? ''];
    return { text: pages.filter((page) => page !== '').join('\n'), type: this.#registry.contentType };
  }

  #watchGroups(engine: Engine): void {
    const inSeconds = (ms: number | null) => (ms ?? 0) / 1000;
    const ownSeconds = () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    };
    const rows: readonly [string, string, () => number, () => number][] = [
      ['cpu_seconds', 'CPU time', () => inSeconds(engine.usage().cpuTimeMs), ownSeconds],
      ['memory_bytes', 'Memory', () => engine.usage().memoryBytes ?? 0, () => process.memoryUsage.rss()],
      ['memory_max_bytes', 'Peak memory', () => engine.usage().memoryPeakBytes ?? 0, ownPeakBytes],
    ];
    for (const [name, what, containers, controller] of rows) {
      new Gauge({
        name: `go_judge_cgroup_${name}`,
        help: `${what}: \`controller\` is this process, \`containers\` all programs together, \`all\` both`,
        labelNames: ['type'],
        registers: this.#registers,
        collect() {
          const [inside, own] = [containers(), controller()];
          this.set({ type: 'controller' }, own);
          this.set({ type: 'containers' }, inside);
          this.set({ type: 'all' }, inside + own);
        },
      });
    }
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: this.#registers,
      collect() {
        this.set(read());
      },
    });
  }

  #summary(name: string, help: string): Summary {
    return new Summary({ name, help, percentiles: [], registers: this.#registers });
  }
}

const KNOWN_METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

function ownPeakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
