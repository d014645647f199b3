// Frames against bytes written by hand.
import { describe, expect, it } from 'vitest';
import {
  cancelFrame,
  inputFrame,
  outputFrame,
  parseClientFrame,
  parseServerFrame,
  requestFrame,
  resizeFrame,
  responseFrame,
} from './index.js';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const utf8 = (text: string) => new TextEncoder().encode(text);

describe('from the client', () => {
  it('is written', () => {
    expect(requestFrame('{}')).toEqual(bytes('01 7b7d'));
    expect(resizeFrame({ rows: 1 })).toEqual(bytes('02 7b22726f7773223a317d'));
    expect(inputFrame(15, 1, utf8('ż'))).toEqual(bytes('03 f1 c5bc'));
    expect(cancelFrame()).toEqual(bytes('04'));
  });

  it('is read', () => {
    expect(parseClientFrame(bytes('01 7b7d'))).toEqual({ kind: 'request', json: '{}' });
    expect(parseClientFrame(bytes('03 f1'))).toEqual({ kind: 'input', index: 15, fd: 1, bytes: bytes('') });
    expect(parseClientFrame(bytes('04'))).toEqual({ kind: 'cancel' });
    for (const bad of ['', '03', '00', '05']) expect(parseClientFrame(bytes(bad)), bad).toBe(null);
  });
});

describe('from the server', () => {
  it('is written and read', () => {
    expect(responseFrame('[]')).toEqual(bytes('01 5b5d'));
    expect(outputFrame(0, 2, bytes('00ff'))).toEqual(bytes('02 02 00ff'));
    expect(parseServerFrame(bytes('02 02 00ff'))).toEqual({
      kind: 'output',
      index: 0,
      fd: 2,
      bytes: bytes('00ff'),
    });
    expect(parseServerFrame(bytes('01 5b5d'))).toEqual({ kind: 'response', json: '[]' });
    for (const bad of ['', '02', '03', '04']) expect(parseServerFrame(bytes(bad)), bad).toBe(null);
  });
});
