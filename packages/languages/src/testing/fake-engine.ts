/** Engines that run nothing: they note what they were asked for. For unit tests. */
import type { OneShotOptions, Output, Runner, RunnerProcess, RunResult } from '@sbx/core';
import type { RunEngine } from '../types.js';

export interface Call {
  file: string;
  args: readonly string[];
  options: OneShotOptions;
}

export interface FakeAnswer extends Partial<Omit<RunResult, 'stdout' | 'stderr' | 'files'>> {
  stdout?: string;
  stderr?: string;
  files?: Record<string, string>;
}

/** What `info()` says. */
type Facts = ReturnType<NonNullable<RunEngine['info']>>;

/** Answers from a table. */
export class FakeEngine implements RunEngine {
  /** Every call but the checks for what is installed, in order. */
  readonly calls: Call[] = [];
  /** Names that a check reports as missing. */
  missing: string[] = [];
  checkCount = 0;
  /** How the check itself ends. */
  checkStatus: RunResult['status'] = 'ok';

  /** `answer` decides by the call; a thrown error is a rejection. */
  constructor(answer: (call: Call) => FakeAnswer = () => ({}), facts: Facts = {}) {
    this.#answer = answer;
    this.#facts = facts;
  }

  readonly #answer: (call: Call) => FakeAnswer;
  readonly #facts: Facts;

  info() {
    return this.#facts;
  }

  async run(file: string, args: readonly string[] = [], options: OneShotOptions = {}): Promise<RunResult> {
    if (file === '/bin/sh' && args[0] === '-c' && args[1]?.startsWith('for p')) {
      this.checkCount++;
      const lineOf = (need: string) =>
        this.missing.includes(need) ? `-${need}\n` : `${need.replace(/^(?!\/)/, '/usr/bin/')}\n`;
      return makeResult({ status: this.checkStatus, stdout: args.slice(3).map(lineOf).join('') });
    }
    const call = { file, args, options };
    this.calls.push(call);
    return makeResult(this.#answer(call));
  }
}

/** Starts nothing, and every program that is looked for is there. */
export class FakeRunner implements Runner {
  readonly spawned: unknown[][] = [];
  checkCount = 0;
  /** What is given for every start. */
  process = { stdin: { end: async () => undefined } } as unknown as RunnerProcess;
  readonly isReady = true;
  info = () => ({}) as ReturnType<Runner['info']>;
  counters = () => ({}) as ReturnType<Runner['counters']>;
  runGroup = async () => ({}) as never;
  close = async () => {};
  [Symbol.asyncDispose] = async () => {};

  async run(_file: string, args: readonly string[] = []): Promise<RunResult> {
    this.checkCount++;
    const lines = args.slice(3).map((need) => `/usr/bin/${need}\n`);
    return makeResult({ stdout: lines.join('') });
  }

  async spawn(...call: unknown[]): Promise<RunnerProcess> {
    this.spawned.push(call);
    return this.process;
  }
}

/** A result with everything well unless said otherwise. */
export function makeResult({ stdout = '', stderr = '', files = {}, ...rest }: FakeAnswer = {}): RunResult {
  const status = rest.status ?? 'ok';
  return {
    status,
    evidence: status,
    ok: status === 'ok',
    exitCode: status === 'ok' ? 0 : 1,
    exitSignal: null,
    stdout: fakeOutput(stdout),
    stderr: fakeOutput(stderr),
    outputs: {},
    usage: { cpuTimeMs: 1, wallTimeMs: 2, memoryPeakBytes: 3, fileCacheBytes: null, processPeakCount: 1 },
    files: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path,
        {
          path,
          mode: 0o755,
          bytes: Buffer.from(text),
          sizeBytes: Buffer.byteLength(text),
          fd: null,
          text: () => text,
        },
      ]),
    ),
    fileErrors: [],
    degraded: [],
    orThrow() {
      if (status === 'ok') return this;
      throw new Error(`orThrow of a result with status ${status}`);
    },
    ...rest,
  };
}

function fakeOutput(text: string): Output {
  const bytes = Buffer.from(text);
  return {
    bytes,
    text: () => text,
    truncated: false,
    droppedBytes: 0,
    totalBytes: bytes.length,
  } as unknown as Output;
}
