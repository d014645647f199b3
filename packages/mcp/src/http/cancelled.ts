/**
 * Requests that were cancelled by a notification. The protocol's transport ends the stream of a request with
 * its answer, and these have none: the connection would stay open until its client closes it, which most do
 * not, and the session would count as in use for as long.
 */
import type { JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

type RequestId = string | number;

/** What the transport knows of requests, until the last one of their stream is answered. */
interface Insides {
  _requestToStreamMapping: Map<RequestId, string>;
  _requestResponseMap: Map<RequestId, unknown>;
  _streamMapping: Map<string, { cleanup(): void }>;
}

/** To be called once the transport is connected. */
export function endCancelled(transport: WebStandardStreamableHTTPServerTransport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra);
    const id = cancelledBy(message);
    if (id !== undefined) forget(transport as unknown as Insides, id);
  };
}

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  return message.params?.requestId as RequestId | undefined;
}

/** Several requests of one message share a stream, which ends when nothing of it is to come. */
function forget(insides: Insides, id: RequestId): void {
  const { _requestToStreamMapping: streamOf, _requestResponseMap: answers, _streamMapping: open } = insides;
  const stream = streamOf.get(id);
  if (stream === undefined) return; // answered already, or never asked
  streamOf.delete(id);
  const others = [...streamOf].flatMap(([other, at]) => (at === stream ? [other] : []));
  if (!others.every((other) => answers.has(other))) return;
  for (const other of others) {
    streamOf.delete(other);
    answers.delete(other);
  }
  open.get(stream)?.cleanup();
}
