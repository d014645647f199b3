/** What the clients share, which may depend on nothing of ours. Built into each of them. */
export { type BackoffTimes, backoffMs } from './backoff.js';
export { nearestName } from './nearest-name.js';
export { tokenSubprotocol } from './token-subprotocol.js';
