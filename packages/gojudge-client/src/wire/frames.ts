/** Messages of `/stream`: one byte of type, then the payload. Both directions, both ways. */
import type { WireResize } from './types.js';

/** Client to server. */
export const STREAM_REQUEST = 1;
/** Terminal size, as JSON. */
export const STREAM_RESIZE = 2;
/** Bytes for an input. */
export const STREAM_INPUT = 3;
/** Ends the run. */
export const STREAM_CANCEL = 4;
/** Server to client. */
export const STREAM_RESPONSE = 1;
/** Bytes of an output. */
export const STREAM_OUTPUT = 2;

/** Highest index and fd that fit the byte. */
export const STREAM_PLACE_MAX = 15;
/** Output bytes of one message. */
export const STREAM_CHUNK_BYTES = 32_768;

/** A message from the client. */
export type ClientFrame =
  | { kind: 'request'; json: string }
  | { kind: 'resize'; json: string }
  | { kind: 'input'; index: number; fd: number; bytes: Uint8Array }
  | { kind: 'cancel' };

/** A message from the server. */
export type ServerFrame =
  | { kind: 'response'; json: string }
  | { kind: 'output'; index: number; fd: number; bytes: Uint8Array };

/** `null` for what no client may send. */
export function parseClientFrame(frame: Uint8Array): ClientFrame | null {
  switch (frame[0]) {
    case STREAM_REQUEST:
      return { kind: 'request', json: utf8(frame.subarray(1)) };
    case STREAM_RESIZE:
      return { kind: 'resize', json: utf8(frame.subarray(1)) };
    case STREAM_INPUT:
      return frame.byteLength < 2 ? null : { kind: 'input', ...placed(frame) };
    case STREAM_CANCEL:
      return { kind: 'cancel' };
    default:
      return null;
  }
}

/** `null` for what no server may send. */
export function parseServerFrame(frame: Uint8Array): ServerFrame | null {
  if (frame[0] === STREAM_RESPONSE) return { kind: 'response', json: utf8(frame.subarray(1)) };
  if (frame[0] === STREAM_OUTPUT && frame.byteLength >= 2) return { kind: 'output', ...placed(frame) };
  return null;
}

/** The request, as JSON: the first message. */
export function requestFrame(json: string): Uint8Array {
  return textFrame(STREAM_REQUEST, json);
}

/** A terminal size. */
export function resizeFrame(resize: WireResize): Uint8Array {
  return textFrame(STREAM_RESIZE, JSON.stringify(resize));
}

/** Bytes for the input at index and fd. */
export function inputFrame(index: number, fd: number, bytes: Uint8Array): Uint8Array {
  return placedFrame(STREAM_INPUT, index, fd, bytes);
}

/** Ends the run. */
export function cancelFrame(): Uint8Array {
  return Uint8Array.of(STREAM_CANCEL);
}

/** The final answer, as JSON. */
export function responseFrame(json: string): Uint8Array {
  return textFrame(STREAM_RESPONSE, json);
}

/** Bytes of an output. */
export function outputFrame(index: number, fd: number, bytes: Uint8Array): Uint8Array {
  return placedFrame(STREAM_OUTPUT, index, fd, bytes);
}

function placed(frame: Uint8Array): { index: number; fd: number; bytes: Uint8Array } {
  const place = frame[1]!;
  return { index: place >> 4, fd: place & 15, bytes: frame.subarray(2) };
}

function placedFrame(type: number, index: number, fd: number, bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(bytes.byteLength + 2);
  frame[0] = type;
  frame[1] = (index << 4) | fd;
  frame.set(bytes, 2);
  return frame;
}

function textFrame(type: number, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const frame = new Uint8Array(bytes.byteLength + 1);
  frame[0] = type;
  frame.set(bytes, 1);
  return frame;
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
