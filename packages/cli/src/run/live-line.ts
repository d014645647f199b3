/**
 * The line that shows a long run while it runs: time, CPU and memory. It stays out of the way of what the
 * program shows.
 */
import type { LiveUsage } from '@sbx/core';
import { type Paint, painterFor, takesEscapes } from '../terminal.js';
import { formatDuration, formatSize } from '../units.js';
import type { RunRequest } from './request.js';

/** Shorter runs show nothing: their summary is there at once. */
const SHOWN_AFTER_MS = 500;
const PERIOD_MS = 250;
/** To the first column, and what stands in the line is gone. */
const CLEAR = '\r\x1b[2K';
const NEWLINE = 10;

export interface LiveLine {
  /** Follows a program from its start on. */
  follow(program: { usage(): LiveUsage }): void;
  /** Called before a chunk of the program's output goes to a terminal. */
  beforeOutput(chunk: Uint8Array): void;
  /** Nothing is shown from here on. */
  stop(): void;
}

interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const NO_LINE: LiveLine = { follow() {}, beforeOutput() {}, stop() {} };

/**
 * Shows nothing where stderr is no terminal that can erase a line, or where its user wanted something else
 * there.
 */
export function liveLineFor(
  { json, quiet, tty }: Pick<RunRequest, 'json' | 'quiet' | 'tty'>,
  screen: Screen = process.stderr,
  env: NodeJS.ProcessEnv = process.env,
): LiveLine {
  const isWanted = !json && !quiet && !tty;
  return isWanted && takesEscapes(screen, env) ? new TerminalLine(screen) : NO_LINE;
}

type Write = (chunk: Uint8Array) => Promise<void>;

/** `write` to a stream. Output that goes elsewhere than to a terminal does not meet the line. */
export function besideLine(line: LiveLine, stream: NodeJS.WriteStream, write: Write): Write {
  if (!stream.isTTY) return write;
  return (chunk) => {
    line.beforeOutput(chunk);
    return write(chunk);
  };
}

class TerminalLine implements LiveLine {
  readonly #screen: Screen;
  readonly #paint: Paint;
  #timer: NodeJS.Timeout | undefined;
  #isShown = false;
  /** Not after a prompt or another half line of the program, which we would erase. */
  #isAtLineStart = true;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#paint = painterFor(screen);
  }

  follow(program: { usage(): LiveUsage }): void {
    const tick = () => {
      this.#show(program.usage());
      this.#timer = setTimeout(tick, PERIOD_MS);
    };
    this.#timer = setTimeout(tick, SHOWN_AFTER_MS);
  }

  beforeOutput(chunk: Uint8Array): void {
    this.#clear();
    this.#isAtLineStart = chunk.at(-1) === NEWLINE;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#clear();
  }

  #show(usage: LiveUsage): void {
    if (!this.#isAtLineStart) return;
    // A line that wraps could not be erased.
    const text = liveText(usage).slice(0, (this.#screen.columns || 80) - 1);
    this.#isShown = true;
    this.#screen.write(CLEAR + this.#paint('dim', text));
  }

  #clear(): void {
    if (this.#isShown) this.#screen.write(CLEAR);
    this.#isShown = false;
  }
}

/** `running · cpu 1.20 s · wall 1.25 s · memory 12.3 MiB` */
function liveText({ cpuTimeMs, wallTimeMs, memoryBytes }: LiveUsage): string {
  const parts = ['running', `cpu ${formatDuration(cpuTimeMs)}`, `wall ${formatDuration(wallTimeMs)}`];
  if (memoryBytes !== null) parts.push(`memory ${formatSize(memoryBytes)}`);
  return parts.join(' · ');
}
