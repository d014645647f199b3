/** `POST /run`. */
import { decodeRequest } from '../../wire/request.js';
import { encodeOutcomes } from '../../wire/results.js';
import { BadRequest } from '../../errors.js';
import { convertRequest } from '../../judge/convert.js';
import { type Judge, runQueued } from '../../judge/run-job.js';
import { type Answer, encodedAnswer } from '../responses.js';
import type { Asked } from '../request-context.js';
import { presenceOf } from '../connection/disconnect.js';

export async function handleRun(judge: Judge, asked: Asked): Promise<Answer> {
  const { settings } = judge;
  const signal = presenceOf(asked.socket);
  const reading = asked.readBody(settings.bodyMaxBytes);
  const raw = decodeRequest(reading instanceof Promise ? await reading : reading);
  const count = raw.cmd?.length ?? 0;
  if (count === 0) throw new BadRequest('no cmd provided');
  if (count > settings.cmdCountMax) throw new BadRequest(`cmd: more than ${settings.cmdCountMax} entries`);
  const outcomes = await runQueued(judge, convertRequest(raw, settings, false), signal);
  return encodedAnswer(encodeOutcomes(outcomes, '', '\n'));
}
