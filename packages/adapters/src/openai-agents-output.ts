/** Output of commands as the framework's models read it. */
import { randomBytes } from 'node:crypto';
import type { OpenAIAgentsExecResult } from './openai-agents-types.js';
import { OUTPUT_BYTES_MAX } from './shared/shell.js';

/** As the framework counts. */
const BYTES_PER_TOKEN = 4;

/** What nobody has read yet, the last of it: a server that runs for hours is looked at once in a while. */
export class UnreadText {
  #text = '';
  #droppedCount = 0;

  add(text: string): void {
    this.#text += text;
    const over = this.#text.length - OUTPUT_BYTES_MAX;
    // Cut at the double: a copy for each chunk would be a copy of it all.
    if (over > OUTPUT_BYTES_MAX) this.#drop(over);
  }

  take(): string {
    const over = this.#text.length - OUTPUT_BYTES_MAX;
    if (over > 0) this.#drop(over);
    const notice =
      this.#droppedCount === 0
        ? ''
        : `[...${this.#droppedCount} characters truncated from process output...]\n`;
    const text = notice + this.#text;
    this.#text = '';
    this.#droppedCount = 0;
    return text;
  }

  #drop(count: number): void {
    this.#text = this.#text.slice(count);
    this.#droppedCount += count;
  }
}

/** Of a text that was cut before it was read. */
const CUT_NOTICE = /^\[\.{3}\d+ characters truncated from process output\.{3}\]\n/;

/** The first and the last of a text, within so many tokens. A notice of an earlier cut stays, beyond them. */
export function withinTokens(
  text: string,
  tokenCount: number | undefined,
): Pick<OpenAIAgentsExecResult, 'output' | 'originalTokenCount'> {
  const earlier = CUT_NOTICE.exec(text)?.[0] ?? '';
  const { output, ...count } = cutToTokens(text.slice(earlier.length), tokenCount);
  return { output: earlier + output, ...count };
}

function cutToTokens(text: string, tokenCount: number | undefined): ReturnType<typeof withinTokens> {
  const bytes = Buffer.from(text);
  const maxBytes = Math.max(0, tokenCount ?? Number.POSITIVE_INFINITY) * BYTES_PER_TOKEN;
  if (bytes.length <= maxBytes) return { output: text };
  const originalTokenCount = Math.ceil(bytes.length / BYTES_PER_TOKEN);
  const notice = (cutBytes: number) => `...${Math.ceil(cutBytes / BYTES_PER_TOKEN)} tokens truncated...`;
  const room = maxBytes - notice(bytes.length).length;
  if (room <= 0) return { output: notice(bytes.length).slice(0, maxBytes), originalTokenCount };
  const head = wholeCharacters(bytes, 0, room >> 1);
  const tail = wholeCharacters(bytes, bytes.length - (room - (room >> 1)), bytes.length);
  const output = head.toString() + notice(bytes.length - head.length - tail.length) + tail.toString();
  return { output, originalTokenCount };
}

/** No character of UTF-8 is cut at either end. */
function wholeCharacters(bytes: Buffer, start: number, end: number): Buffer {
  const continues = (at: number) => (bytes[at] ?? 0) >> 6 === 0b10;
  while (start < end && continues(start)) start++;
  while (end > start && end < bytes.length && continues(end)) end--;
  return bytes.subarray(start, end);
}

/** In the words of the framework's own sessions. */
export function asText(result: Omit<OpenAIAgentsExecResult, 'stdout' | 'stderr'>): string {
  const { output, wallTimeSeconds, sessionId, exitCode, originalTokenCount } = result;
  return [
    `Chunk ID: ${randomBytes(3).toString('hex')}`,
    `Wall time: ${wallTimeSeconds.toFixed(4)} seconds`,
    ...(sessionId === undefined ? [] : [`Process running with session ID ${sessionId}`]),
    ...(exitCode === undefined ? [] : [`Process exited with code ${exitCode}`]),
    ...(originalTokenCount === undefined ? [] : [`Original token count: ${originalTokenCount}`]),
    'Output:',
    output,
  ].join('\n');
}
