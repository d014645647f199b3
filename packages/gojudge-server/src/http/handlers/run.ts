/** `POST /run`. A client that goes away, or closes its sending side, takes its runs along. */
import type { Socket } from 'node:net';
import { BadRequest } from '../../errors.js';
import { convertRequest } from '../../judge/convert.js';
import { runQueued, type ServerContext } from '../../judge/run-job.js';
import { type DecodedRequest, decodeRequest } from '../../wire/request.js';
import { encodeResults } from '../../wire/results.js';
import type { RequestContext } from '../request-context.js';
import { encodedResponse, type Response } from '../responses.js';

export async function handleRun(context: ServerContext, incoming: RequestContext): Promise<Response> {
  const { settings } = context;
  const signal = disconnectSignalOf(incoming.socket);
  const reading = readRequest(incoming, settings.bodyMaxBytes);
  const raw = reading instanceof Promise ? await reading : reading;
  const count = raw.cmd?.length ?? 0;
  if (count === 0) throw new BadRequest('no cmd provided');
  if (count > settings.cmdCountMax) throw new BadRequest(`cmd: more than ${settings.cmdCountMax} entries`);
  const outcomes = await runQueued(context, convertRequest(raw, settings, false), signal);
  return encodedResponse(encodeResults(outcomes, '', '\n'));
}

/** In a function of its own, so that the body is let go of: the request may wait for long. */
function readRequest(incoming: RequestContext, maxBytes: number): DecodedRequest | Promise<DecodedRequest> {
  const reading = incoming.readBody(maxBytes);
  return reading instanceof Promise ? reading.then(decodeRequest) : decodeRequest(reading);
}

const signals = new WeakMap<Socket, AbortSignal>();

/** Aborted when the client of this connection has gone; one signal for all its requests. */
function disconnectSignalOf(socket: Socket): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  const leave = () => controller.abort();
  socket.once('end', leave);
  socket.once('close', leave);
  if (socket.readableEnded || socket.destroyed) leave();
  signals.set(socket, controller.signal);
  return controller.signal;
}
