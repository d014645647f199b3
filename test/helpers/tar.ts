// Tar entries by hand: what no library would write, too.

export interface EntryOptions {
  /** The type flag. Default `'0'`: a file. */
  type?: string;
  size?: number;
  mode?: number;
  uid?: number;
  linkname?: string;
}

/** Two blocks of zeros. */
export const END = Buffer.alloc(1024);

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;

/** A header block in the ustar format. */
export function header(
  name: string,
  { type = '0', size = 0, mode = 0o644, uid = 1000, linkname = '' }: EntryOptions = {},
): Buffer {
  const block = Buffer.alloc(512);
  const fields: [at: number, value: string][] = [
    [0, name],
    [100, octal(mode, 7)],
    [108, octal(uid, 7)],
    [116, octal(uid, 7)],
    [124, octal(size, 11)],
    [136, octal(1_600_000_000, 11)],
    [148, ' '.repeat(8)],
    [156, type],
    [157, linkname],
    [257, 'ustar\0' + '00'],
  ];
  for (const [at, value] of fields) block.write(value, at);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** A header and its content. */
export function entry(name: string, content: string | Buffer, options: EntryOptions = {}): Buffer {
  const bytes = Buffer.from(content);
  const padding = Buffer.alloc((512 - (bytes.byteLength % 512)) % 512);
  return Buffer.concat([header(name, { size: bytes.byteLength, ...options }), bytes, padding]);
}

/** Attributes for the entry that follows. */
export function pax(attributes: Record<string, string>): Buffer {
  const records = Object.entries(attributes).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(rest);
    while (Buffer.byteLength(`${length}${rest}`) !== length) length = Buffer.byteLength(`${length}${rest}`);
    return `${length}${rest}`;
  });
  return entry('PaxHeader', records.join(''), { type: 'x' });
}
