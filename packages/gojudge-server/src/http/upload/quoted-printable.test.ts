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

it.each([' ', '\t ', '=', '\r', '=0', ' =', 'x'])(
  'of hostile text, many of %j, it is done in time',
  async (bit) => {
    const text = bit.repeat(2 ** 18 / bit.length);
    const before = process.cpuUsage();
    for (const ending of ['', 'x\n', '\r\n', ' \r']) {
      await decoded(text + ending);
      await decoded(...Array<string>(1000).fill(text.slice(0, 1000)), ending);
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(3000);
  },
);
