import { describe, expect, it } from 'vitest';
import {
  encodeReply,
  parseReply,
  REPLY_BYTES_MAX,
  ReplyReader,
  STATUS_BYTES_MAX,
  statusLine,
} from './reply.js';

const ascii = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const READING = { cpuTimeUs: 1234, memoryBytes: 5678, status: 'process running normally' };
/** By hand: "1234\n5678\nprocess running normally\n". */
// biome-ignore format: three lines
const BYTES = Uint8Array.of(
  0x31, 0x32, 0x33, 0x34, 0x0a,
  0x35, 0x36, 0x37, 0x38, 0x0a,
  0x70, 0x72, 0x6f, 0x63, 0x65, 0x73, 0x73, 0x20, 0x72, 0x75, 0x6e, 0x6e, 0x69, 0x6e, 0x67, 0x20, 0x6e, 0x6f, 0x72, 0x6d, 0x61, 0x6c, 0x6c, 0x79, 0x0a,
);

describe('a reply', () => {
  it('is three lines, each ended', () => expect(encodeReply(READING)).toEqual(BYTES));

  it('is read back', () => expect(parseReply(BYTES)).toEqual(READING));

  it('comes in pieces: one byte at a time', () => {
    const reader = new ReplyReader();
    expect(reader.isEmpty).toBe(true);
    for (const byte of BYTES) reader.push(Uint8Array.of(byte));
    expect(reader.isEmpty).toBe(false);
    expect(reader.finish()).toEqual(READING);
  });

  it.each([
    ['no line feed at the end', '1\n2\nx', { cpuTimeUs: 1, memoryBytes: 2, status: 'x' }],
    ['carriage returns', '1\r\n2\r\nx\r\n', { cpuTimeUs: 1, memoryBytes: 2, status: 'x' }],
    ['two replies that met: the later', '1\n2\nx\n3\n4\ny\n', { cpuTimeUs: 3, memoryBytes: 4, status: 'y' }],
  ])('%s', (_, text, expected) => expect(parseReply(ascii(text))).toEqual(expected));

  it.each([
    '',
    '\n',
    '1',
    '1\n2',
    '1\n2\n',
    'a\n2\nx',
    '1\n-2\nx',
    '1.5\n2\nx',
    '1e3\n2\nx',
    `${'9'.repeat(17)}\n2\nx`,
  ])('is not: %j', (text) => {
    expect(() => parseReply(ascii(text))).toThrow(expect.objectContaining({ code: 'SBX_FIFO_BAD_REPLY' }));
  });

  it('has a bound', () => {
    const reader = new ReplyReader();
    reader.push(new Uint8Array(REPLY_BYTES_MAX));
    expect(() => reader.push(new Uint8Array(1))).toThrow(
      expect.objectContaining({ code: 'SBX_FIFO_BAD_REPLY' }),
    );
  });

  it('has digits only, whatever the number', () => {
    const lines = (cpuTimeUs: number, memoryBytes: number) =>
      new TextDecoder()
        .decode(encodeReply({ cpuTimeUs, memoryBytes, status: 'x' }))
        .split('\n')
        .slice(0, 2);
    expect(lines(1.9, 1e21)).toEqual(['1', '9007199254740991']);
    expect(lines(Number.NaN, -1)).toEqual(['0', '0']);
  });
});

describe('line 3', () => {
  it('is one line', () => expect(statusLine('a\r\nb\u2028c\u0000d\n')).toBe('a b c d'));

  it('is cut at a character', () => {
    const line = statusLine('ż'.repeat(2000));
    expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(STATUS_BYTES_MAX);
    expect(line).toMatch(/^ż+…$/);
  });

  it('fits, with its numbers, into one atomic write', () => {
    const reading = { cpuTimeUs: 2 ** 53, memoryBytes: 2 ** 53, status: '\u{10ffff}'.repeat(5000) };
    expect(encodeReply(reading).length).toBeLessThanOrEqual(4096);
  });
});
