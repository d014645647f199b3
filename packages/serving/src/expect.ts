/** `Expect: 100-continue`, as Go's server has it: who is refused is not asked for the body first. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sends "100 Continue" when somebody begins to read. A client that never hears it keeps the body, so the
 * connection ends there.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  const onListener = (event: string | symbol) => {
    if (event !== 'data' && event !== 'readable') return;
    request.off('newListener', onListener);
    if (response.headersSent) return;
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  };
  request.on('newListener', onListener);
}
