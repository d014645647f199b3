// Replies that are owed, to readers that this test plays itself.
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Answers } from './answers.js';
import { makeFifo } from './mkfifo.js';

it('does not give a reader that takes its time to close the reply to another request too', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sbx-answers-test-'));
  try {
    const path = join(dir, 'status');
    await makeFifo(path, 0o600);
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const read = Buffer.alloc(100);
    let length = 0;
    const leave = () => {
      length = readSync(fd, read);
      closeSync(fd);
    };
    const reply = () => {
      setTimeout(leave, 5);
      return [Buffer.from('reply\n')];
    };
    const answers = new Answers({ paths: [path], reply, look: () => undefined, giveUpMs: 1000 });
    answers.owe(2);
    await answers.settled();
    expect(read.toString('utf8', 0, length)).toBe('reply\n');
    expect(answers.deliveredCount).toBe(1);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

/** A place of its own, and readers of it, which leave as soon as they have their reply. */
async function withPipe(work: (parts: { answers: Answers; read: () => Promise<string> }) => Promise<void>) {
  const dir = mkdtempSync(join(tmpdir(), 'sbx-answers-test-'));
  try {
    const path = join(dir, 'status');
    await makeFifo(path, 0o600);
    const readers: { fd: number; leave: (text: string) => void }[] = [];
    const leave = () => {
      const buffer = Buffer.alloc(100);
      for (const reader of readers.splice(0)) {
        reader.leave(buffer.toString('utf8', 0, readSync(reader.fd, buffer)));
        closeSync(reader.fd);
      }
    };
    let count = 0;
    const reply = () => {
      setImmediate(leave); // sooner than the next reader is looked for, however busy the machine is
      return [Buffer.from(`reply ${++count}\n`)];
    };
    const read = () =>
      new Promise<string>((resolve) => {
        const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
        readers.push({ fd, leave: resolve });
      });
    const answers = new Answers({ paths: [path], reply, look: () => undefined, giveUpMs: null });
    await work({ answers, read });
    await answers.cancel();
  } finally {
    rmSync(dir, { recursive: true });
  }
}

it('waits for the second of two who asked at once, however late it reads', () =>
  withPipe(async ({ answers, read }) => {
    answers.owe(2);
    expect(await read()).toBe('reply 1\n');
    await sleep(500);
    expect(await read()).toBe('reply 2\n');
    await answers.settled();
  }));

it('a later request is answered once, whether or not the second of two before it ever reads', () =>
  withPipe(async ({ answers, read }) => {
    answers.owe(2);
    expect(await read()).toBe('reply 1\n');
    for (const expected of ['reply 2\n', 'reply 3\n']) {
      await sleep(1100);
      answers.owe(1);
      expect(await read()).toBe(expected);
    }
    await answers.settled();
    expect(answers.isOwing).toBe(false);
  }));

it('after the last call nobody is waited for who may not be there', () =>
  withPipe(async ({ answers, read }) => {
    answers.owe(2);
    expect(await read()).toBe('reply 1\n');
    expect(await answers.cancel()).toBe(true);
    answers.owe(2);
    expect(await read()).toBe('reply 2\n');
    await answers.settled();
  }));
