import type { RunnerProcess } from '@sbx/core';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.js';
import { decodeFrame, encodeFrame, type SessionMessage } from '../wire/session.js';
import { WorkerSession } from './session.js';

test('a submitter that writes on to what is closed, and takes no word of that, is told once', async () => {
  const told: SessionMessage[] = [];
  let receive: (data: Uint8Array) => void = () => undefined;
  const closed = { write: () => Promise.reject(new Error('closed')) };
  const process = {
    id: 1,
    fds: { 0: closed, 3: closed },
    result: new Promise(() => undefined),
    close: () => Promise.resolve(),
  } as unknown as RunnerProcess;
  const wire = {
    send(data: Uint8Array) {
      const { message } = decodeFrame(data).frame;
      if (message?.kind === 'input-closed') told.push(message);
    },
    onFrame(take: typeof receive) {
      receive = take;
      return () => undefined;
    },
  };
  const session = new WorkerSession(process, wire, systemClock);
  for (let number = 1; number <= 20; number += 1) {
    const message = { kind: 'input', fd: number % 2 === 0 ? 0 : 3 } as const;
    receive(encodeFrame({ number, received: 0, consumed: [], message }, Buffer.from('x')));
  }
  await new Promise((resolve) => setImmediate(resolve));
  session.close();
  expect(told.map(({ kind, ...rest }) => rest)).toEqual([{ fd: 3 }, { fd: 0 }]);
});
