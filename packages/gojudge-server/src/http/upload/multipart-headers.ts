/** Headers of multipart: the boundary of the whole, name and file name of a part. */
import { decodeGoUtf8 } from '../../wire/go-text.js';

export interface PartHeaders {
  name: string;
  /** The last step of its path; `''` for none. */
  fileName: string;
  encoding: string;
}

/** RFC 2046 has 70. A longer one is searched for in each part of a body, at a price that grows with it. */
const BOUNDARY_LENGTH_MAX = 256;

/** `null` for what is no multipart/form-data, and for a boundary that is longer than may be. */
export function boundaryOf(contentType: string): string | null {
  const { value, parameters } = parseHeader(contentType);
  const boundary = parameters.get('boundary') ?? '';
  const isLegal = boundary !== '' && boundary.length <= BOUNDARY_LENGTH_MAX;
  return value === 'multipart/form-data' && isLegal ? boundary : null;
}

export function parsePartHeaders(headers: Buffer): PartHeaders {
  // A line that begins with a blank goes on with the one before.
  const lines = headers.toString('utf8').split(/\r?\n(?![ \t])/);
  const fields = new Map(
    lines.flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    }),
  );
  const { value, parameters } = parseHeader(fields.get('content-disposition') ?? '');
  const isFormData = value === 'form-data';
  const read = (name: string) => extended(parameters.get(`${name}*`)) ?? parameters.get(name) ?? '';
  return {
    name: isFormData ? read('name') : '',
    fileName: lastStep(read('filename')),
    encoding: (fields.get('content-transfer-encoding') ?? '').toLowerCase(),
  };
}

/** No expression: one would look through a long name again from each of its letters. */
function lastStep(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return end === 0 ? path.slice(0, 1) : path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

/** `value; name=token; name="quoted"`. */
function parseHeader(header: string): { value: string; parameters: Map<string, string> } {
  const parameters = new Map<string, string>();
  const end = header.indexOf(';');
  const value = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  const pattern = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gy;
  pattern.lastIndex = end < 0 ? header.length : end;
  for (const [, name, quoted, token] of header.matchAll(pattern)) {
    parameters.set(name!.toLowerCase(), token ?? unquote(quoted!));
  }
  return { value, parameters };
}

/** Only quotes and backslashes are escaped: browsers send Windows paths as they are. */
function unquote(text: string): string {
  return text.replace(/\\(["\\])/g, '$1');
}

/** RFC 5987: `UTF-8''percent-encoded`. */
function extended(text: string | undefined): string | null {
  const match = /^(utf-8|us-ascii)'[^']*'(.*)$/i.exec(text ?? '');
  if (match === null) return null;
  const escaped = Buffer.from(match[2]!).toString('latin1');
  if (/%(?![\da-f]{2})/i.test(escaped)) return null;
  const bytes = escaped.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decodeGoUtf8(Buffer.from(bytes, 'latin1'));
}
