/** An output as a result shows it: all of it, or its beginning and its end. */
import type { Output } from '@sbx/core';
import { leftOut, type ShownText } from '../shown-text.js';

/** Share of the bytes that goes to the beginning; errors stand at the end. */
const HEAD_SHARE = 0.5;

export function show({ bytes, totalBytes }: Output, bytesMax: number): ShownText {
  const isShort = bytes.byteLength <= bytesMax;
  const headBytes = isShort ? bytes.byteLength : Math.ceil(bytesMax * HEAD_SHARE);
  const tailBytes = isShort ? 0 : bytesMax - headBytes;
  const cutBytes = totalBytes - headBytes - tailBytes;
  const head = textOf(bytes.subarray(0, headBytes));
  if (cutBytes === 0) return { text: head, cutBytes };
  const tail = textOf(bytes.subarray(bytes.byteLength - tailBytes));
  return { text: `${head}\n${leftOut(cutBytes)}\n${tail}`, cutBytes };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
