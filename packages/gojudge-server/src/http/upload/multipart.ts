/**
 * `POST /file`: the first part called `file` that has a file name, streamed into the store. What Go's reader
 * takes is taken: bare line feeds, a preamble, an epilogue, `filename*`, quoted-printable; a body without its
 * closing boundary is refused.
 */
import type { IncomingMessage } from 'node:http';
import { boundaryOf, type PartHeaders, parsePartHeaders } from './multipart-headers.js';
import { MultipartError, Parts } from './multipart-parts.js';
import { decodeQuotedPrintable } from './quoted-printable.js';

type Save = (name: string, content: AsyncIterable<Uint8Array>) => Promise<string>;

/**
 * Returns the id that `save` gave. A file whose body turns out to be broken is taken back by throwing inside
 * `save`.
 */
export async function readUpload(request: IncomingMessage, save: Save): Promise<string> {
  const boundary = boundaryOf(request.headers['content-type'] ?? '');
  if (boundary === null) throw new MultipartError('not multipart/form-data');
  const parts = new Parts(request, boundary);
  for (let headers = await parts.next(); headers !== null; headers = await parts.next()) {
    const part = parsePartHeaders(headers);
    if (part.name !== 'file' || part.fileName === '') {
      for await (const _chunk of parts.content()); // passed over
      continue;
    }
    return save(part.fileName, toTheEnd(parts, part));
  }
  throw new MultipartError('no part called file');
}

/** The part's content, and then the rest of the body, which must be whole. */
async function* toTheEnd(parts: Parts, { encoding }: PartHeaders): AsyncGenerator<Uint8Array> {
  yield* encoding === 'quoted-printable' ? decodeQuotedPrintable(parts.content()) : parts.content();
  // Other parts are ignored.
  while ((await parts.next()) !== null) for await (const _chunk of parts.content());
}
