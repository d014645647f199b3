import { expect, it } from 'vitest';
import { decodeQuotedPrintable } from './quoted-printable.js';

async function decoded(...chunks: string[]): Promise<string> {
  async function* source() {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
  }
  const parts: Uint8Array[] = [];
  for await (const part of decodeQuotedPrintable(source())) parts.push(part);
  return Buffer.concat(parts).toString('latin1');
}

it.each([
  ['a=3Db', 'a=b'],
  ['caf=c3=A9', 'caf\xc3\xa9'],
  ['one =\r\ntwo', 'one two'],
  ['one=\ntwo', 'onetwo'],
  ['blank \t\r\nnext', 'blank\r\nnext'],
  ['blanks  \t \n \t\r\n\nleft ', 'blanks\n\r\n\nleft '],
  ['end=', 'end'],
  ['odd =zz', 'odd =zz'],
  ['', ''],
  [`${'long'.repeat(5000)} = \r\nand on`, `${'long'.repeat(5000)} and on`],
])('%j', async (text, expected) => {
  expect(await decoded(text)).toBe(expected);
});

it('is the same however the bytes come', async () => {
  const text = 'caf=C3=A9 \r\nsoft=\r\nbreak=3D\r\nlast=';
  const whole = await decoded(text);
  expect(await decoded(...text)).toBe(whole);
  for (let at = 1; at < text.length; at += 1)
    expect(await decoded(text.slice(0, at), text.slice(at))).toBe(whole);
});

it('is the same in a line without an end, wherever it is cut', async () => {
  for (const seam of ['=C3', ' \t\r\n', ' \t =\r\n', '=\r\n', '=zz', '  x', '\r\r\n', '=', ' ']) {
    const text = `${'a'.repeat(5000)}${seam}${'b'.repeat(5000)}${seam}`;
    const whole = await decoded(`\n${text}`);
    for (let at = 4999; at < 5010; at += 1) {
      expect(await decoded('\n', text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1))).toBe(whole);
    }
  }
});

it('a line without an end is not held', async () => {
  let [given, got, most] = [0, 0, 0];
  async function* source() {
    for (; given < 2 ** 20; given += 1000) {
      most = Math.max(most, given - got);
      yield Buffer.alloc(1000, 'a');
    }
  }
  for await (const part of decodeQuotedPrintable(source())) got += part.length;
  expect(most).toBeLessThan(8192);
});

it('more blanks in a row than may be held are refused', async () => {
  expect(await decoded(`a${' '.repeat(4000)}`, '\n')).toBe('a\n');
  await expect(decoded(`a${' '.repeat(5000)}`, '\n')).rejects.toThrow(
    'quoted-printable: more than 4096 blanks in a row',
  );
});

it.each([' ', '\t ', '=', '\r', '=0', ' =', 'x'])(
  'of hostile text, many of %j, it is done in time',
  async (bit) => {
    const text = bit.repeat(2 ** 18 / bit.length);
    const before = process.cpuUsage();
    for (const ending of ['', 'x\n', '\r\n', ' \r']) {
      await decoded(text + ending).catch(() => undefined);
      await decoded(...Array<string>(1000).fill(text.slice(0, 1000)), ending).catch(() => undefined);
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(3000);
  },
);
