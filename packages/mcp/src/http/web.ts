/**
 * Node's request and response as the Web's, which is what the protocol's transports take. Bodies are bounded
 * while they are read.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** `null`: the body is larger than `bytesMax`. `signal` says that the caller has gone. */
export async function webRequest(
  request: IncomingMessage,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Request | null> {
  const { method = 'GET', url = '/' } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? await readBody(request, bytesMax) : undefined;
  if (body === null) return null;
  // Of its own, whatever the caller says the host is: nothing is derived from it.
  return new Request(new URL(url.startsWith('/') ? `http://localhost${url}` : 'http://localhost/'), {
    method,
    headers: headersOf(request),
    signal,
    ...(body === undefined ? {} : { body }),
  });
}

async function readBody(request: IncomingMessage, bytesMax: number): Promise<Uint8Array | null> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}

/** Writes it as fast as the caller reads; ends when the caller goes. */
export async function sendWeb(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  if (from.body === null) return void to.end();
  const reader = from.body.getReader();
  const gone = once(to, 'close').then(() => reader.cancel().catch(() => undefined));
  to.flushHeaders();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      if (to.destroyed) return;
      if (!to.write(step.value)) await Promise.race([once(to, 'drain'), gone]);
    }
  } finally {
    to.end();
  }
}
