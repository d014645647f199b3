/**
 * What the servers share: listening, tokens, refusals, pings, the end of whoever started them. Built into
 * each of them.
 */
export { after } from './after.js';
export { ByteChunks } from './byte-chunks.js';
export { onFull } from './connections.js';
export { ELSEWHERE_PARALLELISM, unreadyReason } from './elsewhere.js';
export {
  bearerToken,
  type EntryCheck,
  type EntryRules,
  FOREIGN_PAGE,
  isOrigin,
  makeEntryCheck,
  ORIGIN_EXPECTED,
} from './entry.js';
export { isForeignPage } from './foreign-page.js';
export { GUARANTEE_FACTS, type GuaranteeFacts } from './guarantees.js';
export { createHttpServer, type HttpHandlers } from './http-server.js';
export { serverInTurn } from './in-turn.js';
export { hasMoreValues } from './json-values.js';
export { type KeepAliveTimes, keepAlive, type Pinged } from './keep-alive.js';
export { watchLauncher } from './launcher.js';
export { listenAt } from './listen.js';
export { machineMemoryBytes } from './machine-memory.js';
export { makeMemoryFolder } from './memory-folder.js';
export { openFailureText } from './open-failure.js';
export { checkOptions } from './options.js';
export { type Mover, Places, type PlacesPace } from './places.js';
export { offeredProtocols, protocolToken } from './protocol-token.js';
export { type Received, Receiving, spreadMessages, watchHalfSent } from './receiving.js';
export { refuseUpgrade } from './refuse.js';
export {
  type RequestPlace,
  RequestRoom,
  type RoomBounds,
  SMALL_REQUEST_BYTES,
} from './request-room.js';
export { parseRoot } from './root.js';
export { METRICS_TYPE, sendText } from './send.js';
export { endSlowBody } from './slow-body.js';
export { SOCKET_OPTIONS } from './socket-options.js';
export { type Sending, StallWatch } from './stall-watch.js';
export { TIME_BOUNDS_SECONDS } from './time-bounds.js';
export { makeTokenCheck } from './token.js';
export { LEAST_UNSENT_BYTES, MESSAGE_COST_BYTES, type Taker, Unsent, type UnsentPace } from './unsent.js';
