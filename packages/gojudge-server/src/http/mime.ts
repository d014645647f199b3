/** Content types of stored files: by extension, as Go knows them and the system's tables add, else by the first bytes. */
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

const BUILT_IN: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.xml': 'text/xml',
};

let known: Map<string, string> | undefined;

export function typeOf(name: string, beginning: Uint8Array): string {
  const byName = types().get(extname(name).toLowerCase());
  if (byName !== undefined) return byName.startsWith('text/') ? `${byName}; charset=utf-8` : byName;
  return sniff(Buffer.from(beginning));
}

/** The shared-mime-info table first, else mime.types, as Go reads them. */
function types(): Map<string, string> {
  if (known !== undefined) return known;
  known = new Map(Object.entries(BUILT_IN));
  const globs = readText('/usr/share/mime/globs2');
  if (globs !== null) {
    for (const [, type, extension] of globs.matchAll(/^\d+:([^:\n]+):\*(\.[^*?[\]:\n]+)$/gm)) {
      if (!known.has(extension!)) known.set(extension!, type!);
    }
    return known;
  }
  for (const line of (readText('/etc/mime.types') ?? '').split('\n')) {
    const [type, ...extensions] = line.replace(/#.*/, '').trim().split(/\s+/);
    for (const extension of extensions) known.set(`.${extension}`, type!);
  }
  return known;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

const MAGIC: readonly [string, string][] = [
  ['%PDF-', 'application/pdf'],
  ['%!PS-Adobe-', 'application/postscript'],
  ['\xfe\xff', 'text/plain; charset=utf-16be'],
  ['\xff\xfe', 'text/plain; charset=utf-16le'],
  ['\xef\xbb\xbf', 'text/plain; charset=utf-8'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b\x08', 'application/x-gzip'],
  ['\x00asm', 'application/wasm'],
];
const HTML =
  /^[\t\n\f\r ]*<(!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[ >]/i;
const XML = /^[\t\n\f\r ]*<\?xml/;

/** From the first 512 bytes. */
function sniff(beginning: Buffer): string {
  const text = beginning.subarray(0, 512).toString('latin1');
  if (HTML.test(text)) return 'text/html; charset=utf-8';
  if (XML.test(text)) return 'text/xml; charset=utf-8';
  for (const [magic, type] of MAGIC) if (text.startsWith(magic)) return type;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell binary from text
  return /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(text)
    ? 'application/octet-stream'
    : 'text/plain; charset=utf-8';
}
