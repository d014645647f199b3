import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { openLog } from './log.js';

test('a line of JSON for each event, with the level, the time and the fields', () => {
  const target = new PassThrough({ encoding: 'utf8' });
  const log = openLog(target, false);
  log.info({ urls: ['http://[::1]:5050'] }, 'listening');
  log.warn({}, 'two\nlines');
  log.fatal({ reason: 'no' }, 'could not start');
  const lines = (target.read() as string).split('\n');
  expect(lines.pop()).toBe('');
  const time = expect.closeTo(Date.now(), -4);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 30, time, urls: ['http://[::1]:5050'], msg: 'listening' },
    { level: 40, time, msg: 'two\nlines' },
    { level: 60, time, reason: 'no', msg: 'could not start' },
  ]);
});

test('a silent log writes nothing', () => {
  const target = new PassThrough();
  const log = openLog(target, true);
  for (const write of Object.values(log)) write({}, 'x');
  expect(target.read()).toBeNull();
});

test('a reader that has gone away does not end the process', async () => {
  const target = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const log = openLog(target, false);
  log.info({}, 'x');
  await new Promise(setImmediate);
  expect(target.destroyed).toBe(true);
  log.info({}, 'y');
  await new Promise(setImmediate);
});
