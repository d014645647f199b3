// The stream of a call in a session that is cancelled by a notification, and so has no answer.
import { expect, test } from 'vitest';
import { callOf, openSession, post } from './raw.js';
import { useServer } from './server.js';

const open = useServer();
const TWO = 'of two calls in one message, one is cancelled';

type Session = Record<string, string>;

const cancel = (session: Session, requestId: number) =>
  post(open.url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, session);
const command = (id: number, text: string) => callOf(id, 'run_command', { command: text });

async function ended(headers: Session): Promise<void> {
  await (await fetch(open.url, { method: 'DELETE', headers })).text();
  expect(open.server.load().sessions).toBe(0);
}

/** All that is still to come. */
async function rest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let step = await reader.read(); !step.done; step = await reader.read()) parts.push(step.value);
  return Buffer.concat(parts).toString();
}

test('it ends', async () => {
  const session = await openSession(open.url);
  const answer = await post(open.url, command(2, 'sleep 60'), session);
  await cancel(session, 2);
  expect(await answer.text()).toBe('');
  await ended(session);
});

test(`${TWO} before the other ends: it ends with that answer`, async () => {
  const session = await openSession(open.url);
  const answer = await post(open.url, [command(2, 'sleep 60'), command(3, 'sleep 1; echo told')], session);
  await cancel(session, 2);
  const text = await answer.text();
  expect(text.match(/"id":\d+/g)).toEqual(['"id":3']);
  expect(text).toContain('told');
  await ended(session);
});

test(`${TWO} after the other has ended: it ends at once`, async () => {
  const session = await openSession(open.url);
  const answer = await post(open.url, [command(2, 'sleep 60'), command(3, 'echo told')], session);
  const reader = answer.body!.getReader();
  const first = await reader.read();
  expect(Buffer.from(first.value!).toString()).toContain('told');
  await cancel(session, 2);
  expect(await rest(reader)).toBe('');
  await ended(session);
});
