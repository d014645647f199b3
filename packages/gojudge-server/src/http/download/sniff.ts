// biome-ignore-all lint/suspicious/noControlCharactersInRegex: formats begin with them, and text has none
/** What a file is by its beginning, as Go's sniffer has it from the WHATWG's table. */

const HTML =
  /^[\t\n\f\r ]*<(!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[ >]/i;

/** Over bytes as Latin-1. */
const BEGINNINGS: readonly [RegExp, string][] = [
  [HTML, 'text/html; charset=utf-8'],
  [/^[\t\n\f\r ]*<\?xml/, 'text/xml; charset=utf-8'],
  [/^%PDF-/, 'application/pdf'],
  [/^%!PS-Adobe-/, 'application/postscript'],
  [/^\xfe\xff/, 'text/plain; charset=utf-16be'],
  [/^\xff\xfe/, 'text/plain; charset=utf-16le'],
  [/^\xef\xbb\xbf/, 'text/plain; charset=utf-8'],
  [/^\0\0[\x01\x02]\0/, 'image/x-icon'],
  [/^BM/, 'image/bmp'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF.{4}WEBPVP/s, 'image/webp'],
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^FORM.{4}AIFF/s, 'audio/aiff'],
  [/^ID3/, 'audio/mpeg'],
  [/^OggS\0/, 'application/ogg'],
  [/^MThd\0\0\0\x06/, 'audio/midi'],
  [/^RIFF.{4}AVI /s, 'video/avi'],
  [/^RIFF.{4}WAVE/s, 'audio/wave'],
  [/^\x1aE\xdf\xa3/, 'video/webm'],
  [/^.{34}LP/s, 'application/vnd.ms-fontobject'],
  [/^\0\x01\0\0/, 'font/ttf'],
  [/^OTTO/, 'font/otf'],
  [/^ttcf/, 'font/collection'],
  [/^wOFF/, 'font/woff'],
  [/^wOF2/, 'font/woff2'],
  [/^\x1f\x8b\x08/, 'application/x-gzip'],
  [/^PK\x03\x04/, 'application/zip'],
  [/^Rar!\x1a\x07(\x01)?\0/, 'application/x-rar-compressed'],
  [/^\0asm/, 'application/wasm'],
];

/** From the first 512 bytes. */
export function sniff(beginning: Buffer): string {
  const text = beginning.subarray(0, 512).toString('latin1');
  const known = BEGINNINGS.find(([pattern]) => pattern.test(text));
  if (known !== undefined) return known[1];
  if (isMp4(beginning.subarray(0, 512))) return 'video/mp4';
  return /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(text)
    ? 'application/octet-stream'
    : 'text/plain; charset=utf-8';
}

/** Its first box lists brands, of four bytes each; the second word is the version of the first of them. */
function isMp4(bytes: Buffer): boolean {
  if (bytes.length < 12 || bytes.toString('latin1', 4, 8) !== 'ftyp') return false;
  const boxBytes = bytes.readUInt32BE(0);
  if (boxBytes % 4 !== 0 || boxBytes > bytes.length) return false;
  for (let at = 8; at < boxBytes; at += 4) {
    if (at !== 12 && bytes.toString('latin1', at, at + 3) === 'mp4') return true;
  }
  return false;
}
