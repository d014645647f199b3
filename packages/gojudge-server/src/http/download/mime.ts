/**
 * Content types of stored files: by extension, as Go knows them and the system's tables add, else by the
 * first bytes.
 */
import { readFileSync } from 'node:fs';
import { sniff } from './sniff.js';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const BUILT_IN: Readonly<Record<string, string>> = {
  'application/json': '.json',
  'application/gzip': '.gz',
  'application/msword': '.doc',
  'application/octet-stream': '.bin .com .exe',
  'application/pdf': '.pdf',
  'application/postscript': '.ai .eps .ps',
  'application/rdf+xml': '.rdf',
  'application/rtf': '.rtf',
  'application/vnd.android.package-archive': '.apk',
  'application/vnd.ms-excel': '.xls',
  'application/vnd.ms-powerpoint': '.ppt',
  [`${OPEN_XML}.presentationml.presentation`]: '.pptx',
  [`${OPEN_XML}.spreadsheetml.sheet`]: '.xlsx',
  [`${OPEN_XML}.wordprocessingml.document`]: '.docx',
  'application/wasm': '.wasm',
  'application/xhtml+xml': '.xht .xhtml',
  'application/zip': '.zip',
  'audio/flac': '.flac',
  'audio/mp4': '.m4a',
  'audio/mpeg': '.mp3',
  'audio/ogg': '.oga .ogg .opus',
  'audio/wav': '.wav',
  'audio/webm': '.webm',
  'image/apng': '.apng',
  'image/avif': '.avif',
  'image/bmp': '.bmp',
  'image/gif': '.gif',
  'image/jpeg': '.jfif .jpeg .jpg .pjp .pjpeg',
  'image/png': '.png',
  'image/svg+xml': '.svg',
  'image/tiff': '.tif .tiff',
  'image/vnd.microsoft.icon': '.ico',
  'image/webp': '.webp',
  'image/x-xbitmap': '.xbm',
  'message/rfc822': '.eml',
  'text/calendar': '.ics',
  'text/css': '.css',
  'text/csv': '.csv',
  'text/html': '.ehtml .htm .html .shtml',
  'text/javascript': '.js .mjs',
  'text/plain': '.text .txt',
  'text/vtt': '.vtt',
  'text/xml': '.xbl .xml .xsl',
  'video/mp4': '.mp4',
  'video/ogg': '.ogv',
};

let known: Map<string, string> | undefined;

export function typeOf(name: string, beginning: Uint8Array): string {
  return typeByName(name) ?? sniff(Buffer.from(beginning));
}

/** `null` where the extension says nothing. */
export function typeByName(name: string): string | null {
  const extension = /\.[^.]*$/.exec(name)?.[0] ?? '';
  const type = types().get(extension) ?? types().get(extension.toLowerCase());
  if (type === undefined) return null;
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

/** The shared-mime-info table first, else mime.types, as Go reads them. */
function types(): Map<string, string> {
  if (known !== undefined) return known;
  known = new Map(
    Object.entries(BUILT_IN).flatMap(([type, extensions]) =>
      extensions.split(' ').map((extension): [string, string] => [extension, type]),
    ),
  );
  const globs = readText('/usr/share/mime/globs2');
  if (globs !== null) {
    for (const [, type, extension] of globs.matchAll(/^\d+:([^:\n]+):\*(\.[^*?[:\n]+)(?::.*)?$/gm)) {
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
