import { describe, expect, it } from 'vitest';
import { encodeRequest, LEGACY_REQUEST_BYTES, parseRequests } from './request.js';

const kinds = (...bytes: number[]) => parseRequests(Uint8Array.of(...bytes)).map(({ kind }) => kind);

describe('requests', () => {
  it('are one digit', () => {
    expect(encodeRequest('go-on')).toEqual(Uint8Array.of(0x31));
    expect(encodeRequest('last-call')).toEqual(Uint8Array.of(0x30));
  });

  it('have the digits reversed in the layout of 2018', () => {
    expect(encodeRequest('go-on', LEGACY_REQUEST_BYTES)).toEqual(Uint8Array.of(0x30));
    expect(parseRequests(Uint8Array.of(0x31), LEGACY_REQUEST_BYTES)).toEqual([{ kind: 'last-call' }]);
  });

  it.each([
    ['nothing', [], []],
    ['1', [0x31], ['go-on']],
    ['0', [0x30], ['last-call']],
    ['1 and a line feed', [0x31, 0x0a], ['go-on']],
    ['1, carriage return, line feed', [0x31, 0x0d, 0x0a], ['go-on']],
    ['white space alone', [0x20, 0x09, 0x0a], []],
    ['three clients in one read', [0x31, 0x31, 0x0a, 0x31], ['go-on', 'go-on', 'go-on']],
    ['nothing counts after a last call', [0x31, 0x30, 0x31, 0x78], ['go-on', 'last-call']],
    ['a NUL is no white space', [0x00], ['stray']],
  ])('%s', (_, bytes, expected) => expect(kinds(...bytes)).toEqual(expected));

  it('names a stray byte', () => {
    expect(parseRequests(Uint8Array.of(0x78))).toEqual([{ kind: 'stray', byte: 0x78 }]);
  });
});
