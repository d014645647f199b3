/** Bytes of a file as text or base64, within a bound. */
import { FileAccessError, type Sandbox } from '@sbx/core';
import { ToolError } from '../sandboxes/tool-error.js';

export type Encoding = 'utf-8' | 'base64';

const MiB = 2 ** 20;

/** Files that are read from their beginning for a part of them. */
const READ_BYTES_MAX = 64 * MiB;

export function bytesOf(content: string, encoding: Encoding): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(content, 'utf8');
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(content) && content.length % 4 === 0;
  if (!isBase64) throw new ToolError('content must be base64 with padding where encoding is base64.');
  return Buffer.from(content, 'base64');
}

/** As text where that loses nothing. */
export function contentOf(bytes: Uint8Array): { content: string; encoding: Encoding } {
  const text = utf8Of(bytes);
  if (text !== null) return { content: text, encoding: 'utf-8' };
  return { content: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
}

/** `null` for what is no UTF-8, or has zero bytes. */
function utf8Of(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

export interface Part {
  bytes: Uint8Array;
  sizeBytes: number;
}

/**
 * `bytesMax` bytes of it from `offsetBytes` on, not ending inside a character where it is text. No more than
 * that is in memory: many may read at once.
 */
export async function readPart(
  sandbox: Pick<Sandbox, 'stat' | 'createReadStream'>,
  path: string,
  { offsetBytes, bytesMax }: { offsetBytes: number; bytesMax: number },
): Promise<Part> {
  const { sizeBytes } = await sandbox.stat(path);
  if (sizeBytes > READ_BYTES_MAX) {
    throw new FileAccessError({ operation: 'readFile', path, code: 'SBX_FILE_TOO_LARGE' });
  }
  const end = offsetBytes + bytesMax;
  const kept: Uint8Array[] = [];
  let at = 0;
  for await (const chunk of sandbox.createReadStream(path) as AsyncIterable<Uint8Array>) {
    const from = Math.max(0, offsetBytes - at);
    // With one byte more, which tells whether a character goes on.
    if (from < chunk.byteLength) kept.push(chunk.subarray(from, end + 1 - at));
    at += chunk.byteLength;
    if (at > end) break;
  }
  const held = Buffer.concat(kept);
  if (held.byteLength <= bytesMax) return { bytes: held, sizeBytes: at };
  return { bytes: held.subarray(0, characterStart(held, bytesMax)), sizeBytes: Math.max(sizeBytes, at) };
}

/** The last place at or before `end` that no UTF-8 character goes across; `end` where there is none near. */
function characterStart(bytes: Uint8Array, end: number): number {
  for (let at = end; at > end - 4 && at > 0; at -= 1) if ((bytes[at]! & 0xc0) !== 0x80) return at;
  return end;
}
