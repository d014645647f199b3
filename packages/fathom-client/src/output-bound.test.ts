import { expect, test } from 'vitest';
import { FathomClient } from './client.js';
import type { ExecutionEvent } from './execution.js';
import { type FakeSocket, fakeSockets } from './fake-socket.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** An execution that the server has heard of. */
async function started(outputLengthMax: number) {
  const { sockets, openSocket } = fakeSockets();
  const client = new FathomClient({ url: 'ws://host:1', openSocket, outputLengthMax });
  const execution = client.execute({ language: 'python', code: '' });
  await settled();
  return { execution, socket: sockets[0]! };
}

function print(socket: FakeSocket, ...texts: string[]): void {
  for (const data of texts) socket.receive({ type: 'stdout', id: socket.lastId, data });
}

function end(socket: FakeSocket): void {
  const id = socket.lastId;
  socket.receive({ type: 'status', id, status: 'completed' });
  socket.receive({ type: 'result', id, exit_code: 0, duration_ms: 12 });
}

test('of more output than is kept the result has the beginning, and says so', async () => {
  const { execution, socket } = await started(10);
  print(socket, '1234');
  socket.receive({ type: 'stderr', id: socket.lastId, data: 'abcd' });
  print(socket, '567', '8');
  end(socket);
  expect(await execution).toMatchObject({ stdout: '123456', stderr: 'abcd', truncated: true, ok: true });
});

test.each([
  ['12345', '12345', false],
  ['1234\u{1f600}', '1234', true],
  ['123\u{1f600}', '123\u{1f600}', false],
])('of %j the first five units are kept, whole characters of them', async (text, stdout, truncated) => {
  const { execution, socket } = await started(5);
  print(socket, text);
  end(socket);
  expect(await execution).toMatchObject({ stdout, truncated });
});

test('events that are read have all of it', async () => {
  const { execution, socket } = await started(5);
  const events: ExecutionEvent[] = [];
  const reading = (async () => {
    for await (const event of execution) events.push(event);
  })();
  await settled();
  for (let count = 0; count < 5; count += 1) print(socket, '123');
  await settled();
  end(socket);
  await reading;
  expect(events.filter(({ kind }) => kind === 'stdout')).toHaveLength(5);
  expect(events.at(-1)).toMatchObject({ kind: 'result', result: { stdout: '12312', truncated: true } });
});

test('those that nobody reads are not kept without end: reading them late is refused, the result is there', async () => {
  const { execution, socket } = await started(5);
  print(socket, '123', '456', '789');
  end(socket);
  const late = (async () => {
    for await (const _event of execution);
  })();
  await expect(late).rejects.toMatchObject({ code: 'FATHOM_REQUEST', executionId: execution.id });
  await expect(late).rejects.toThrow(/must be read before 5 characters of output are waiting/);
  expect(await execution).toMatchObject({ stdout: '12345', truncated: true });
});

test('who reads them and falls far behind is told, and the execution is cancelled', async () => {
  const { execution, socket } = await started(5);
  const events = execution[Symbol.asyncIterator]();
  const first = events.next();
  const long = 'x'.repeat(2 ** 23);
  for (let count = 0; count < 8; count += 1) print(socket, long);
  expect((await first).value).toMatchObject({ kind: 'stdout' });
  print(socket, long, long);
  await expect(events.next()).rejects.toThrow(/must be read before .* are waiting/);
  expect(socket.sent.at(-1)).toMatchObject({ type: 'cancel' });
  end(socket);
  expect(await execution).toMatchObject({ stdout: 'xxxxx', truncated: true });
});

test('a message of very many values is no message', async () => {
  const { execution, socket } = await started(5);
  socket.receive({ type: 'stdout', id: socket.lastId, data: '1', more: Array(9000).fill(0) });
  socket.receive({ type: 'stdout', id: socket.lastId, data: '2', more: Array(20_000).fill(0) });
  await expect(execution).rejects.toMatchObject({ code: 'FATHOM_PROTOCOL' });
});

test('what a server says again and again is one event', async () => {
  const { execution, socket } = await started(5);
  const id = socket.lastId;
  for (let count = 0; count < 1000; count += 1) {
    socket.receive({ type: 'ack', id });
    socket.receive({ type: 'status', id, status: 'running' });
  }
  print(socket, '123');
  end(socket);
  const kinds: string[] = [];
  for await (const { kind } of execution) kinds.push(kind);
  expect(kinds).toEqual(['accepted', 'started', 'stdout', 'result']);
});
