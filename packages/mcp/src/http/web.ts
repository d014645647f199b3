/** Node's request and response as the Web's, which is what the protocol's transports take. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Unsent } from '@sbx/serving';

/** `body` as it was read. `signal` says that the caller has gone. */
export function webRequest(
  request: IncomingMessage,
  body: Uint8Array | undefined,
  signal: AbortSignal,
): Request {
  const { method = 'GET', url = '/' } = request;
  // Of its own, whatever the caller says the host is: nothing is derived from it.
  return new Request(new URL(url.startsWith('/') ? `http://localhost${url}` : 'http://localhost/'), {
    method,
    headers: headersOf(request),
    signal,
    ...(body === undefined ? {} : { body }),
  });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}

/**
 * Writes all of it as it is made, since what makes it waits for nobody: what the client has not taken is held
 * here, where it is counted, and not in a stream's queue. Ends when the client goes.
 */
export async function sendWeb(from: Response, to: ServerResponse, unsent: readonly Unsent[]): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  if (from.body === null) return void to.end();
  const reader = from.body.getReader();
  const write = countedWriter(to, unsent);
  to.once('close', () => void reader.cancel().catch(() => undefined));
  to.flushHeaders();
  try {
    for (let step = await reader.read(); !step.done && !to.destroyed; step = await reader.read()) {
      write(step.value);
    }
  } finally {
    to.end();
  }
}

/** Until the kernel has it, or the client is gone. */
function countedWriter(to: ServerResponse, unsent: readonly Unsent[]): (chunk: Uint8Array) => void {
  const { socket } = to.req;
  let heldBytes = 0;
  const release = (bytes: number) => {
    const held = Math.min(heldBytes, bytes); // none is left after the end
    heldBytes -= held;
    if (held > 0) for (const one of unsent) one.release(socket, held);
  };
  to.once('close', () => release(heldBytes));
  return (chunk) => {
    heldBytes += chunk.byteLength;
    for (const one of unsent) one.hold(socket, chunk.byteLength);
    to.write(chunk, () => release(chunk.byteLength));
  };
}
