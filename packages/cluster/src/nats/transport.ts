/**
 * The library's transport closes only what was connected. A server that takes the connection and never says a
 * word would so keep a socket for each try, and with it the process of whoever has given up.
 */
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';

let isMended = false;

/** For all connections that are made from now on; safe to call twice. */
export function closeUnanswered(): void {
  if (isMended) return;
  isMended = true;
  const { close } = NodeTransport.prototype;
  NodeTransport.prototype.close = function closeAnyway(error?: Error): Promise<void> {
    if (!this.connected) {
      this.done = true; // seen where it is being connected
      this.socket?.destroy();
    }
    return close.call(this, error);
  };
}
