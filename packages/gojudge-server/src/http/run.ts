/** `POST /run`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeRequest } from '../decode/request.js';
import { encodeOutcomes } from '../encode/results.js';
import { BadRequest } from '../errors.js';
import { convertRequest } from '../run/convert.js';
import { type Judge, runQueued } from '../run/run-job.js';
import { sendEncoded } from './answers.js';
import { readBody } from './body.js';
import { presenceOf } from './disconnect.js';

export async function handleRun(
  judge: Judge,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { settings } = judge;
  const signal = presenceOf(request.socket);
  const raw = decodeRequest(await readBody(request, settings.bodyMaxBytes));
  const count = raw.cmd?.length ?? 0;
  if (count === 0) throw new BadRequest('no cmd provided');
  if (count > settings.cmdCountMax) throw new BadRequest(`cmd: more than ${settings.cmdCountMax} entries`);
  const outcomes = await runQueued(judge, convertRequest(raw, settings, false), signal);
  await sendEncoded(response, encodeOutcomes(outcomes, '', '\n'));
}
