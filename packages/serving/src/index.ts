/** What the servers share over HTTP: listening, tokens, refusals, pings. Built into each of them. */
export { type KeepAliveTimes, keepAlive, type Pinged } from './keep-alive.js';
export { listenAt } from './listen.js';
export { checkOptions } from './options.js';
export { refuseUpgrade } from './refuse.js';
export { sendText } from './send.js';
export { makeTokenCheck } from './token.js';
