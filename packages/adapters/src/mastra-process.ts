/** A living process as Mastra's `ProcessHandle`. */
import type { InputStream, OutputStream, Process, RunResult } from '@sbx/core';
import type {
  MastraCommandResult,
  MastraHandleBase,
  MastraProcess,
  MastraSpawnOptions,
} from './mastra-types.js';
import { exitCodeOf, verdictLine } from './shared/exit-code.js';
import { textOf } from './shared/text-sink.js';
import { kill } from './shared/web-streams.js';

type HandleBase = new (options: MastraSpawnOptions) => MastraHandleBase;
type Living = Process & { stdout: OutputStream; stderr: OutputStream; stdin?: InputStream | null };

/** Of a process that is gone with its sandbox. */
const KILLED = 137;

/** A class of processes on top of the framework's. */
export function handleOver(base: abstract new (options?: never) => object) {
  return class SbxProcessHandle extends (base as unknown as HandleBase) implements MastraProcess {
    readonly pid: string;
    exitCode: number | undefined;
    readonly #process: Living;
    readonly #end: Promise<MastraCommandResult>;

    constructor(process: Living, pid: string, options: MastraSpawnOptions) {
      super(options);
      this.pid = pid;
      this.#process = process;
      this.#end = this.#follow();
      this.#end.catch(() => undefined); // told by `wait()`
    }

    wait(): Promise<MastraCommandResult> {
      return this.#end;
    }

    async kill(): Promise<boolean> {
      if (this.exitCode !== undefined) return false;
      await kill(this.#process);
      return true;
    }

    async sendStdin(text: string): Promise<void> {
      await this.#stdin().write(text);
    }

    async closeStdin(): Promise<void> {
      await this.#stdin().end();
    }

    #stdin(): InputStream {
      if (this.exitCode !== undefined)
        throw new Error(`Process ${this.pid} has already exited with code ${this.exitCode}`);
      const { stdin } = this.#process;
      if (!stdin) throw new Error(`Process ${this.pid} does not have stdin available`);
      return stdin;
    }

    async #follow(): Promise<MastraCommandResult> {
      try {
        await emitAll(this.#process, this);
        return this.#conclude(await this.#process.result);
      } catch (error) {
        this.exitCode ??= await killed(this.#process);
        throw error;
      }
    }

    #conclude(result: RunResult): MastraCommandResult {
      const line = verdictLine(result);
      if (line !== '') this.emitStderr(line);
      this.exitCode = exitCodeOf(result);
      const { stdout, stderr, exitCode } = this;
      return {
        success: exitCode === 0,
        exitCode,
        stdout,
        stderr,
        executionTimeMs: result.usage.wallTimeMs,
        timedOut: result.status === 'wall-limit' || result.status === 'cpu-limit',
        killed: result.exitSignal !== null,
      };
    }
  };
}

/** One whose call-back has thrown: nobody reads what it writes any more. */
async function killed(process: Living): Promise<number> {
  await kill(process);
  return process.result.then(exitCodeOf, () => KILLED);
}

async function emitAll({ stdout, stderr }: Living, handle: MastraHandleBase): Promise<void> {
  const toStdout = emit(stdout, (text) => handle.emitStdout(text));
  await Promise.all([toStdout, emit(stderr, (text) => handle.emitStderr(text))]);
}

async function emit(stream: OutputStream, take: (text: string) => void): Promise<void> {
  for await (const text of textOf(stream)) take(text);
}
