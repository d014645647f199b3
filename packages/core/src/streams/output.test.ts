import { describe, expect, it } from 'vitest';
import { EMPTY_OUTPUT, Output } from './output.js';

const utf8 = (text: string) => new TextEncoder().encode(text);

describe('Output', () => {
  it('gives bytes and text', () => {
    const output = new Output(utf8('zażółć\n'));
    expect(output.text()).toBe('zażółć\n');
    expect(`${output}`).toBe('zażółć\n');
    expect([output.totalBytes, output.droppedBytes, output.truncated]).toEqual([11, 0, false]);
  });

  it('decodes once', () => {
    const output = new Output(utf8('abc'));
    expect(output.text()).toBe('abc');
    output.bytes[0] = 0x7a;
    expect(output.text()).toBe('abc');
  });

  it('decodes a view into a larger buffer', () => {
    expect(new Output(utf8('xxabcxx').subarray(2, 5)).text()).toBe('abc');
  });

  it('says what was dropped', () => {
    const output = new Output(utf8('abc'), 10);
    expect([output.totalBytes, output.droppedBytes, output.truncated]).toEqual([10, 7, true]);
  });

  it('replaces invalid bytes and a character cut by the bound', () => {
    expect(new Output(Uint8Array.of(0x61, 0xff, 0x62)).text()).toBe('a\u{fffd}b');
    expect(new Output(utf8('aż').subarray(0, 2), 3).text()).toBe('a\u{fffd}');
  });

  it('keeps a byte order mark, since the program wrote it', () => {
    expect(new Output(utf8('\u{feff}a')).text()).toBe('\u{feff}a');
  });

  it('goes into JSON as sizes', () => {
    expect(JSON.parse(JSON.stringify(new Output(utf8('abc'), 10)))).toEqual({
      keptBytes: 3,
      totalBytes: 10,
      droppedBytes: 7,
      truncated: true,
    });
  });

  it('throws one of our errors when the text would be too long for a string', () => {
    // All zeros and never touched, so that the half gigabyte stays virtual.
    const output = new Output(new Uint8Array(2 ** 29));
    expect(() => output.text()).toThrow(expect.objectContaining({ code: 'SBX_STREAM_TEXT_TOO_LONG' }));
  });

  it('has an empty one to share', () => {
    expect(EMPTY_OUTPUT.text()).toBe('');
    expect([EMPTY_OUTPUT.bytes.length, EMPTY_OUTPUT.totalBytes, EMPTY_OUTPUT.truncated]).toEqual([
      0,
      0,
      false,
    ]);
    expect(Object.isFrozen(EMPTY_OUTPUT)).toBe(true);
  });
});
