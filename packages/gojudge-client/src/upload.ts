/** Bodies of uploads. */
import { GojudgeError } from './errors.js';
import { refuse } from './option-check.js';
import { iterate } from './read-body.js';

/**
 * What can be uploaded. Streams are sent as they come where the environment can, in browsers gathered first.
 */
export type UploadContent =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** Headers and body of `POST /file`. */
export interface UploadBody {
  headers: Record<string, string>;
  body: Blob | ReadableStream<Uint8Array>;
  /** The body can be sent but once. */
  isOnce: boolean;
}

const encoder = new TextEncoder();

/** Multipart, written here: a form of one realm is none in another, and a stream fits no form at all. */
export async function makeUpload(
  content: UploadContent,
  name: string,
  canStream: boolean,
): Promise<UploadBody> {
  const boundary = `sbx-${crypto.randomUUID()}`;
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const [head, tail] = frameOf(name, boundary);
  const whole = wholeOf(content);
  if (whole === null && !isStream(content)) refuse('content', 'a string, bytes, a Blob or a stream', content);
  if (whole !== null) return { headers, body: new Blob([head, whole, tail]), isOnce: false };
  const chunks = withFrame(head, iterate(content as ReadableStream<Uint8Array>), tail);
  if (canStream) return { headers, body: toStream(chunks), isOnce: true };
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of chunks) parts.push(chunk as Uint8Array<ArrayBuffer>);
  return { headers, body: new Blob(parts), isOnce: false };
}

function frameOf(
  name: string,
  boundary: string,
): [head: Uint8Array<ArrayBuffer>, tail: Uint8Array<ArrayBuffer>] {
  if (typeof name !== 'string' || name === '') refuse('name', 'a string that is not empty', name);
  const quoted = name.replace(/[\r\n\0]/g, '_').replace(/["\\]/g, '\\$&');
  const disposition = `Content-Disposition: form-data; name="file"; filename="${quoted}"`;
  return [
    encoder.encode(`--${boundary}\r\n${disposition}\r\n\r\n`),
    encoder.encode(`\r\n--${boundary}--\r\n`),
  ];
}

/** `null` for what comes piece by piece. */
function wholeOf(content: UploadContent): string | Uint8Array<ArrayBuffer> | Blob | null {
  if (typeof content === 'string' || content instanceof Blob) return content;
  return content instanceof Uint8Array ? (content as Uint8Array<ArrayBuffer>) : null;
}

function isStream(content: unknown): boolean {
  if (typeof content !== 'object' || content === null) return false;
  return Symbol.asyncIterator in content || 'getReader' in content;
}

/** What goes wrong here is the caller's stream, and not the connection. */
async function* withFrame(head: Uint8Array, content: AsyncIterable<Uint8Array>, tail: Uint8Array) {
  yield head;
  try {
    for await (const chunk of content) {
      if (typeof chunk !== 'string' && !ArrayBuffer.isView(chunk))
        throw new TypeError('not a stream of bytes');
      yield chunk;
    }
  } catch (cause) {
    throw new GojudgeError({
      code: 'GOJUDGE_REQUEST',
      message: `content could not be read: ${cause}`,
      cause,
    });
  }
  yield tail;
}

function toStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}
