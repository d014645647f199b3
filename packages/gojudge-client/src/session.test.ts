import { expect, test } from 'vitest';
import { GojudgeClient } from './client.js';
import { GojudgeError } from './errors.js';
import { FakeSocket, transportOf } from './fake-socket.js';
import type { SessionOptions } from './session.js';

const refused = () =>
  new GojudgeError({
    code: 'GOJUDGE_CONNECTION',
    message: 'no',
    retryable: true,
    cause: { code: 'ECONNREFUSED' },
  });
const TRUE = { args: ['/bin/true'] };
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

async function connect(sockets: (FakeSocket | Error)[], options: SessionOptions = {}) {
  const transport = transportOf(sockets);
  const client = new GojudgeClient({ url: 'http://x', transport, backoffMs: 1 });
  return { session: await client.connect(options), transport };
}

test('answers go to who asked, in whatever order they come', async () => {
  const socket = new FakeSocket();
  const { session } = await connect([socket]);
  const runs = [session.run(TRUE), session.run(TRUE)];
  await settled();
  const [first, second] = socket.requests.map(({ requestId }) => requestId!);
  socket.answer(second!, { exitStatus: 2 });
  socket.answer(first!, { exitStatus: 1 });
  expect((await Promise.all(runs)).map(({ exitStatus }) => exitStatus)).toEqual([1, 2]);
});

test('an answer with too few results is an error, not a run without an outcome', async () => {
  const socket = new FakeSocket();
  const { session } = await connect([socket]);
  const run = session.run(TRUE);
  await settled();
  socket.receive(`${JSON.stringify({ requestId: socket.requests[0]!.requestId, results: [] })}\n`);
  await expect(run).rejects.toMatchObject({
    code: 'GOJUDGE_PROTOCOL',
    message: 'The server answered with 0 results for 1 programs.',
  });
});

test('a lost connection rejects what is under way, the next request makes a new one', async () => {
  const [one, two] = [new FakeSocket(), new FakeSocket()];
  const { session } = await connect([one, refused(), two]);
  const lost = session.run(TRUE);
  await settled();
  one.close();
  await expect(lost).rejects.toMatchObject({ code: 'GOJUDGE_CONNECTION', retryable: true });
  const next = [session.run(TRUE), session.run(TRUE)];
  await expect.poll(() => two.requests.length).toBe(2); // after a pause of the back-off
  for (const { requestId } of two.requests) two.answer(requestId!);
  expect((await Promise.all(next)).every(({ ok }) => ok)).toBe(true);
});

test('without reconnect it stays closed', async () => {
  const socket = new FakeSocket();
  const { session } = await connect([socket], { reconnect: false });
  socket.close();
  await settled();
  await expect(session.run(TRUE)).rejects.toMatchObject({ code: 'GOJUDGE_CLOSED' });
});

test('a refused connection is tried again, and then told', async () => {
  await connect([refused(), refused(), new FakeSocket()]);
  const error = expect.objectContaining({ code: 'GOJUDGE_CONNECTION' });
  await expect(connect([refused(), refused(), refused()])).rejects.toEqual(error);
});

test('abort cancels, rejects at once, and what the run left is deleted', async () => {
  const socket = new FakeSocket();
  const { session, transport } = await connect([socket]);
  const controller = new AbortController();
  const run = session.run(TRUE, controller);
  await settled();
  controller.abort(new Error('enough'));
  await expect(run).rejects.toThrow('enough');
  const { requestId } = socket.requests[0]!;
  expect(socket.requests[1]).toEqual({ cancelRequestId: requestId });
  socket.answer(requestId!, { status: 'Signalled', exitStatus: 9, fileIds: { out: 'LEFTOVER' } });
  await settled();
  expect(transport.deleted).toEqual(['http://x/file/LEFTOVER']);
});

test('no more on their way than told; those that wait can be aborted', async () => {
  const socket = new FakeSocket();
  const { session } = await connect([socket], { inFlightMax: 2 });
  const controller = new AbortController();
  const runs = [session.run(TRUE), session.run(TRUE)];
  const dropped = session.run(TRUE, controller);
  const last = session.run(TRUE);
  await settled();
  expect(socket.requests.length).toBe(2);
  controller.abort(new Error('enough'));
  await expect(dropped).rejects.toThrow('enough');
  for (const { requestId } of socket.requests) socket.answer(requestId!);
  await Promise.all(runs);
  await settled();
  expect(socket.requests.length).toBe(3);
  socket.answer(socket.requests[2]!.requestId!);
  expect((await last).ok).toBe(true);
});

test('a full queue is tried again', async () => {
  const socket = new FakeSocket();
  const { session } = await connect([socket]);
  const run = session.run(TRUE);
  await settled();
  const { requestId } = socket.requests[0]!;
  socket.receive(JSON.stringify({ requestId, results: [], error: 'worker queue is full' }));
  await expect.poll(() => socket.requests.length).toBe(2);
  socket.answer(socket.requests[1]!.requestId!);
  expect((await run).ok).toBe(true);
});

test.each(['{', '[]', '{"requestId":"1","results":[{}]}'])('%s is no answer', async (message) => {
  const socket = new FakeSocket();
  const { session } = await connect([socket]);
  const run = session.run(TRUE);
  await settled();
  socket.receive(message);
  await expect(run).rejects.toMatchObject({ code: 'GOJUDGE_PROTOCOL' });
});

test('close rejects what is under way', async () => {
  const { session } = await connect([new FakeSocket()]);
  const run = session.run(TRUE);
  await settled();
  const rejected = expect(run).rejects.toMatchObject({ code: 'GOJUDGE_CLOSED' });
  await session.close();
  await session.close();
  await rejected;
});

test('while it connects again a run can be given up, and the session be closed', async () => {
  const socket = new FakeSocket();
  const { session, transport } = await connect([socket]);
  socket.close();
  await settled();
  transport.openSocket = () => new Promise(() => undefined);
  const controller = new AbortController();
  const [aborted, other] = [session.run(TRUE, { signal: controller.signal }), session.run(TRUE)];
  other.catch(() => undefined); // told below
  await settled();
  controller.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  await session.close();
  await expect(other).rejects.toMatchObject({ code: 'GOJUDGE_CLOSED' });
});
