/** The headers If-…, as Go's file server reads them for files without an ETag. */
import type { IncomingHttpHeaders } from 'node:http';

/** The status instead of the file; `null`: it is sent. `modified` in ms. */
export function refusedBy(headers: IncomingHttpHeaders, modified: number): 304 | 412 | null {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match ? !isAny(match) : modified > timeOf(headers['if-unmodified-since'])) return 412;
  return (noneMatch ? isAny(noneMatch) : modified <= timeOf(headers['if-modified-since'])) ? 304 : null;
}

/** Whether the range that was asked for still is one of the file that the client knows. */
export function rangeHolds({ 'if-range': known }: IncomingHttpHeaders, modified: number): boolean {
  return !known || modified === timeOf(String(known));
}

function isAny(tags: string): boolean {
  return tags.trim().startsWith('*');
}

const DATES = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]+, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/, // its zone is GMT, too
];

/** In the three forms of HTTP; NaN for other text. */
function timeOf(header = ''): number {
  const form = DATES.findIndex((date) => date.test(header));
  return form < 0 ? Number.NaN : Date.parse(form < 2 ? header : `${header} GMT`);
}
