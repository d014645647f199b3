/**
 * An HTTP server that waits as Go's does: clients of go-judge keep a connection for as long as they like and
 * send the next request on it.
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { type AnsweredSocket, answerClientError, isLateHead } from './client-error.js';
import { continueWhenRead } from './expect.js';
import { shareHeads } from './head-share.js';
import { HEAD_TIMEOUT_MS, Turns } from './in-turn.js';
import { answerWithoutUpgrade } from './without-upgrade.js';

/** As Go has it. */
const TCP_PROBE_MS = 15_000;

export interface HttpHandlers {
  /** Answers, and bounds how slowly a body may come (`endSlowBody`), which the server does not. */
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** Whether an offer of an upgrade is taken; the rest is answered as any request. */
  ownsUpgrade(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * No time-outs of Node's but that for heads: uploads and runs take what they take, and limits of runs are the
 * programs' own. Connections wait for the next request as long as their clients are there, so that no client
 * meets one that is just being closed. A client that closes its sending side still gets its answer, and one
 * that expects "100 Continue" gets it when its body is read. Requests of a connection are answered one after
 * another.
 */
export function createHttpServer({ handler: answer, ownsUpgrade, upgrade }: HttpHandlers): Server {
  const turns = new Turns();
  const handler = turns.handler(answer);
  const server = createServer(
    {
      requestTimeout: 0,
      headersTimeout: HEAD_TIMEOUT_MS,
      keepAliveTimeout: 0,
      keepAlive: true,
      keepAliveInitialDelay: TCP_PROBE_MS,
      shouldUpgradeCallback: ownsUpgrade,
    } as ServerOptions, // Node's types of version 20 do not know the last one
    handler,
  );
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  shareHeads(server);
  turns.watch(server);
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response);
    handler(request, response);
  });
  server.on('clientError', (error, socket) => {
    if (!(isLateHead(error) && turns.excusesHead(socket as AnsweredSocket))) {
      answerClientError(error, socket as AnsweredSocket);
    }
  });
  server.on('upgrade', (request, socket, head) => {
    const take = () => {
      // A Node before 22.21 hands over every offer.
      if (ownsUpgrade(request)) upgrade(request, socket, head);
      else answerWithoutUpgrade(server, request, socket, head);
    };
    afterAnswers(turns, request, take);
  });
  return server;
}

/** Until its turn comes the socket is nobody's, and answers are still written to it. */
function afterAnswers(turns: Turns, request: IncomingMessage, take: () => void): void {
  const socket: AnsweredSocket = request.socket;
  const drained = () => void socket._httpMessage?.emit('drain');
  const failed = () => void socket.destroy();
  socket.on('drain', drained).on('error', failed);
  turns.last(request, () => {
    socket.off('drain', drained).off('error', failed);
    if (socket.writable) take();
    else socket.destroy(); // the answer before it was said to be the last one
  });
}
