import type { RunResult } from '@sbx/core';
import { expect, test } from 'vitest';
import { Channel } from '../session/channel.js';
import { SimClock } from '../testing/sim-clock.js';
import type { SessionMessage } from '../wire/session.js';
import { RemoteProcess } from './remote-process.js';

const END = { usage: {} } as RunResult;

/** A program with a stdout that is a stream, and its worker. */
function spawned() {
  const clock = new SimClock();
  let isClosed = false;
  let process: RemoteProcess | null = null;
  const here: Channel = new Channel(clock, {
    send: (data) => clock.after(1, () => there.receive(data)),
    take: (message, bytes) => process?.take(message, bytes),
    onLost: () => process?.lose(),
  });
  const there: Channel = new Channel(clock, {
    send: (data) => clock.after(1, () => here.receive(data)),
    take: () => undefined,
    onLost: () => undefined,
  });
  here.onClose = () => {
    isClosed = true;
  };
  let end: () => void = () => undefined;
  const result = new Promise<RunResult>((resolve) => {
    end = () => resolve(END);
  });
  process = new RemoteProcess({ channel: here, options: { stdout: 'pipe' }, result });
  const send = (message: SessionMessage, text = '') => void there.send(message, Buffer.from(text));
  return {
    ...{ clock, there, send, stdout: process.stdout!, end },
    isClosed: () => isClosed,
  };
}

test('nothing is kept of a program that is over and whose output was read, although nobody closed it', async () => {
  const { clock, there, send, stdout, end, isClosed } = spawned();
  const text = stdout.text();
  send({ kind: 'output', fd: 1 }, 'all of it');
  await clock.run(10);
  send({ kind: 'output-end', fd: 1 });
  await clock.run(20);
  expect(await text).toBe('all of it');
  expect(isClosed()).toBe(false);
  end();
  await clock.run(5000);
  expect(isClosed()).toBe(true);
  await there.flushed();
});

test('a worker that is gone after the result, with output on its way: the reader is told', async () => {
  const { clock, there, send, stdout, end } = spawned();
  send({ kind: 'output', fd: 1 }, 'a part');
  end();
  await clock.run(10);
  const chunks = stdout[Symbol.asyncIterator]();
  expect(await chunks.next()).toMatchObject({ value: Uint8Array.from(Buffer.from('a part')) });
  there.close();
  const next = chunks.next().catch((error) => error);
  await clock.run(100_000);
  expect(await next).toMatchObject({ code: 'SBX_WORKER_LOST' });
});

test('a reader that is slower than the worker may be silent gets all', async () => {
  const { clock, send, stdout, end } = spawned();
  send({ kind: 'output', fd: 1 }, 'first');
  end();
  await clock.run(300_000);
  const text = stdout.text();
  await clock.run(300_010);
  send({ kind: 'output', fd: 1 }, ', second');
  await clock.run(300_020);
  send({ kind: 'output-end', fd: 1 });
  await clock.run(300_030);
  expect(await text).toBe('first, second');
});
