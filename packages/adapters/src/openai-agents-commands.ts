/** Commands of one session, those that have ended as well until somebody has seen the end. */
import type { InputStream, OutputStream, Process } from '@sbx/core';
import { UnreadText, withinTokens } from './openai-agents-output.js';
import type { OpenAIAgentsExecArgs, OpenAIAgentsExecResult } from './openai-agents-types.js';
import { exitCodeOf, verdictLine } from './shared/exit-code.js';
import type { Shell } from './shared/shell.js';
import { textOf } from './shared/text-sink.js';
import { kill } from './shared/web-streams.js';

/** Commands that one session keeps at once. */
export const COMMAND_COUNT_MAX = 32;

/** Characters of one `writeStdin`. */
export const INPUT_LENGTH_MAX = 2 ** 20;

const INTERRUPT = '\u0003';

type Living = Process & { stdin: InputStream; stdout: OutputStream; stderr?: OutputStream | null };

/** A command, and what it has written since somebody looked. */
export class Command {
  readonly #process: Living;
  readonly #isTerminal: boolean;
  readonly #output = new UnreadText();
  readonly #stdout = new UnreadText();
  readonly #stderr = new UnreadText();
  readonly #end: Promise<void>;
  #isWriting = false;
  exitCode: number | undefined;

  private constructor(process: Living, isTerminal: boolean) {
    this.#process = process;
    this.#isTerminal = isTerminal;
    this.#end = this.#follow();
  }

  static async start(
    shell: Shell,
    env: Record<string, string>,
    args: OpenAIAgentsExecArgs,
  ): Promise<Command> {
    const { cmd, workdir: cwd, tty = false, shell: program, login: isLogin } = args;
    const command = { cwd, env, program, isLogin };
    const wiring = tty
      ? ({ pty: {} } as const)
      : ({ stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const);
    return new Command((await shell.spawn(cmd, command, wiring)) as Living, tty);
  }

  /** Types. A terminal makes the signal of Ctrl-C itself. `null`, or why not. */
  write(text: string): string | null {
    if (this.exitCode !== undefined || text === '') return null;
    if (text.length > INPUT_LENGTH_MAX) return `chars is longer than ${INPUT_LENGTH_MAX} characters`;
    if (!this.#isTerminal && text.includes(INTERRUPT)) this.#process.kill('SIGINT');
    const rest = this.#isTerminal ? text : text.replaceAll(INTERRUPT, '');
    if (rest === '') return null;
    if (this.#isWriting) return 'the command has not read what was written before';
    this.#isWriting = true;
    const done = () => {
      this.#isWriting = false;
    };
    this.#process.stdin.write(rest).then(done, done); // its end is told where the command's is
    return null;
  }

  /** What is new, at its end or after so long, in ms. */
  async look(
    yieldTimeMs: number,
    maxOutputTokens: number | undefined,
  ): Promise<Omit<OpenAIAgentsExecResult, 'sessionId'>> {
    const start = performance.now();
    await within(this.#end, yieldTimeMs);
    return {
      ...withinTokens(this.#output.take(), maxOutputTokens),
      stdout: this.#stdout.take(),
      stderr: this.#stderr.take(),
      wallTimeSeconds: (performance.now() - start) / 1000,
      ...(this.exitCode === undefined ? {} : { exitCode: this.exitCode }),
    };
  }

  /** Resolves when it is dead. */
  async stop(): Promise<void> {
    await kill(this.#process);
    await this.#end;
  }

  async #follow(): Promise<void> {
    const { stdout, stderr, result } = this.#process;
    const sink = (own: UnreadText) => (text: string) => {
      own.add(text);
      this.#output.add(text);
    };
    const toStderr = sink(this.#stderr);
    try {
      await Promise.all([each(stdout, sink(this.#stdout)), stderr && each(stderr, toStderr)]);
      const ended = await result;
      const line = verdictLine(ended);
      if (line !== '') toStderr(line);
      this.exitCode = exitCodeOf(ended);
    } catch (error) {
      toStderr(`sbx: ${(error as Error).message}\n`);
      this.exitCode = 1;
    }
  }
}

async function each(stream: OutputStream, take: (text: string) => void): Promise<void> {
  for await (const text of textOf(stream)) take(text);
}

async function within(end: Promise<void>, timeMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(0, timeMs), 2 ** 31 - 1));
  });
  await Promise.race([end, late]);
  clearTimeout(timer);
}

/** By number. */
export class Commands {
  readonly #open = new Map<number, Command>();
  #startingCount = 0;
  #lastId = 0;

  /** `null`: too many are kept. */
  async start(...args: Parameters<typeof Command.start>): Promise<{ id: number; command: Command } | null> {
    if (this.#open.size + this.#startingCount >= COMMAND_COUNT_MAX) return null;
    this.#startingCount++;
    try {
      const command = await Command.start(...args);
      this.#open.set(++this.#lastId, command);
      return { id: this.#lastId, command };
    } finally {
      this.#startingCount--;
    }
  }

  find(id: number): Command | undefined {
    return this.#open.get(id);
  }

  drop(id: number): void {
    this.#open.delete(id);
  }

  async stop(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(all.map((command) => command.stop()));
  }
}
