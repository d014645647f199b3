import { describe, expect, it } from 'vitest';
import { ByteReader } from './byte-reader.js';
import { type TarEntry, TarReader } from './tar-reader.js';

type Fields = { flag?: string; size?: number | Buffer; prefix?: string; magic?: string; mtime?: Buffer };

function block(name: string, fields: Fields = {}): Buffer {
  const { flag = '0', size = 0, prefix = '', magic = 'ustar\0' + '00', mtime } = fields;
  const bytes = Buffer.alloc(512);
  bytes.write(name);
  bytes.write('0000640\0', 100);
  if (typeof size === 'number') bytes.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else bytes.set(size, 124);
  if (mtime === undefined) bytes.write('00000000007\0', 136);
  else bytes.set(mtime, 136);
  bytes.write(' '.repeat(8), 148);
  bytes.write(flag, 156);
  bytes.write(magic, 257);
  bytes.write(prefix, 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

const padded = (text: string) =>
  Buffer.concat([Buffer.from(text), Buffer.alloc(-Buffer.byteLength(text) & 511)]);
const file = (name: string, text: string, fields: Fields = {}) =>
  Buffer.concat([block(name, { size: Buffer.byteLength(text), ...fields }), padded(text)]);
const END = Buffer.alloc(1024);
const ZERO = Buffer.alloc(512);

/** All entries, from chunks of so many bytes. */
async function read(parts: Buffer[], chunkBytes = 2 ** 20, isRead = true): Promise<[TarEntry, string][]> {
  let left = Buffer.concat(parts);
  const next = async () => {
    const chunk = left.subarray(0, chunkBytes);
    left = left.subarray(chunk.byteLength);
    return chunk.byteLength === 0 ? null : chunk;
  };
  const archive = new TarReader(new ByteReader({ next, check: () => undefined }));
  const entries: [TarEntry, string][] = [];
  for (let entry = await archive.next(); entry !== null; entry = await archive.next()) {
    const chunks: Uint8Array[] = [];
    if (isRead) for await (const chunk of archive.content()) chunks.push(chunk);
    entries.push([entry, Buffer.concat(chunks).toString()]);
  }
  return entries;
}

const namesOf = async (...parts: Buffer[]) =>
  (await read([...parts, END])).map(([{ name }, text]) => [name, text]);

describe('an archive', () => {
  it.each([1, 7, 512, 2 ** 20])(
    'is the same in chunks of %d bytes, whether contents are read or not',
    async (n) => {
      const parts = [
        file('x', '15 path=longer\n', { flag: 'x' }),
        file('a', 'one'),
        block('d/', { flag: '5' }),
        file('b', 'z'.repeat(1500)),
        END,
        ZERO,
      ];
      const entries = await read(parts, n);
      expect(entries.map(([{ name, type }, text]) => [name, type, text.length])).toEqual([
        ['longer', 'file', 3],
        ['d/', 'directory', 0],
        ['b', 'file', 1500],
      ]);
      expect((await read(parts, n, false)).map(([{ name }]) => name)).toEqual(['longer', 'd/', 'b']);
    },
  );

  it.each([
    ['sparse, as of GNU before pax', [file('f', 'x', { flag: 'S' })], /without sparse files/],
    [
      'sparse, as of pax',
      [file('x', '22 GNU.sparse.major=1\n', { flag: 'x' }), file('f', 'x')],
      /without sparse files/,
    ],
    ['the rest of a file', [file('f', 'x', { flag: 'M' })], /begins in another archive/],
  ])('is refused with what would come out as something else: %s', async (_, parts, message) => {
    await expect(namesOf(...parts)).rejects.toThrow(message);
  });

  it('has prefixes in POSIX headers alone', async () => {
    const old = block('f', { prefix: 'p', magic: 'ustar  \0' });
    expect(await namesOf(block('f', { prefix: 'p' }), old)).toEqual([
      ['p/f', ''],
      ['f', ''],
    ]);
  });

  it('has long names, attributes of one entry, and of all that follow', async () => {
    const parts = [
      file('L', 'long\0', { flag: 'L' }),
      file('K', 'target\0', { flag: 'K' }),
      block('a', { flag: '2' }),
      file('g', '11 mtime=5\n', { flag: 'g' }),
      file('x', '11 mtime=6\n', { flag: 'x' }),
      block('b'),
      block('c'),
      END,
    ];
    const entries = (await read(parts)).map(([entry]) => entry);
    expect(entries).toMatchObject([
      { name: 'long', linkname: 'target', type: 'symlink', mode: 0o640, mtime: new Date(7000) },
      { name: 'b', pax: { mtime: '6' } },
      { name: 'c', pax: { mtime: '5' } },
    ]);
  });

  it('has sizes in attributes and in binary, none of folders and links', async () => {
    const binary = Buffer.from('800000000000000000000003', 'hex');
    const link = block('l', { flag: '1', size: 5 });
    const sized = [file('x', '10 size=2\n', { flag: 'x' }), file('a', 'ab', { size: 0 })];
    expect(await namesOf(...sized, file('b', 'abc', { size: binary }), link, file('c', 'd'))).toEqual([
      ['a', 'ab'],
      ['b', 'abc'],
      ['l', ''],
      ['c', 'd'],
    ]);
  });

  it('of an old kind has folders by their names, and times before 1970 are none', async () => {
    const before = Buffer.alloc(12, 0xff);
    const entries = await read([file('d/', 'content', { mtime: before }), END]);
    expect(entries).toMatchObject([[{ type: 'directory', mtime: new Date(Number.NaN) }, 'content']]);
  });
});

describe('refused:', () => {
  const changed = Object.assign(file('f', 'x'), { 0: 0x67 });
  it.each<[string, Buffer[], RegExp]>([
    ['nothing', [], /ends too early/],
    ['no end', [file('f', 'x')], /ends too early/],
    ['half an end', [file('f', 'x'), ZERO], /ends too early/],
    ['an end within', [ZERO, file('f', 'x'), END], /zeros within/],
    ['more after its end', [END, file('f', 'x')], /after its end/],
    ['a cut content', [block('f', { size: 1000 }), ZERO], /ends too early/],
    ['a wrong checksum', [changed, END], /wrong checksum/],
    ['a negative size', [block('f', { size: Buffer.alloc(12, 0xff) }), END], /wrong size/],
    ['a size that no number holds', [block('f', { size: Buffer.alloc(12, 0xbf) }), END], /wrong size/],
    ['a size of other digits', [block('f', { size: Buffer.from('0000000009x\0') }), END], /wrong number/],
    [
      'attributes without a length',
      [file('x', 'path=f\n', { flag: 'x' }), block('f'), END],
      /broken attributes/,
    ],
    [
      'attributes of no length',
      [file('x', '0 path=f\n', { flag: 'x' }), block('f'), END],
      /broken attributes/,
    ],
    [
      'attributes longer than all',
      [file('x', '99 path=f\n', { flag: 'x' }), block('f'), END],
      /broken attributes/,
    ],
    [
      'attributes without a key',
      [file('x', '9 path=f\n9 pathxf\n', { flag: 'x' }), block('f'), END],
      /broken/,
    ],
    [
      'too many attributes',
      [...Array(1100).fill(file('x', '9 path=f\n', { flag: 'x' })), block('f'), END],
      /at most/,
    ],
    ['a long name without end', [block('L', { flag: 'L', size: 2 ** 32 }), ZERO], /at most 1048576 bytes/],
    ['zeros without end', [END, Buffer.alloc(2 ** 20 + 1)], /at most 1048576 bytes/],
  ])('%s', async (_, parts, message) => {
    await expect(read(parts)).rejects.toThrow(message);
  });
});
