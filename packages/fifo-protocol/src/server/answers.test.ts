// Replies that are owed, to readers that this test plays itself.
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
