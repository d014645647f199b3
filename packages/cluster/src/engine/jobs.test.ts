import { expect, test, vi } from 'vitest';
import { pause, systemClock } from '../clock.js';
import type { BlobStore } from '../contents/store.js';
import type { Submitter } from '../submit/submitter.js';
import { JobTicket } from '../submit/ticket.js';
import { encodeEnvelope } from '../wire/envelope.js';
import { Jobs } from './jobs.js';

const NONE = new Uint8Array(0);
const SHA = 'a'.repeat(64);
const EMPTY = { blob: { at: [0, 0] }, totalBytes: 0 };
const RESULT = {
  ...{ status: 'ok', evidence: '', exitCode: 0, exitSignal: null, stdout: EMPTY, stderr: EMPTY },
  usage: { cpuTimeMs: 0, wallTimeMs: 0, memoryPeakBytes: 0, fileCacheBytes: null, processPeakCount: 0 },
  ...{ outputs: [], files: [], fileErrors: [], degraded: [] },
};

/** A job whose worker sent that as its outcome. */
function ticketOf(outcome: Uint8Array): JobTicket {
  const numbers = { priority: 0, maxAttempts: 1, deadlineMs: 1000, orphanGraceMs: 0 };
  const ticket = new JobTicket(
    { id: 'a', tenant: 't', ...numbers, trace: null, bodyHash: '', body: NONE },
    0,
  );
  ticket.resolve({ kind: 'done', attempt: 1, worker: 'w', bodyHash: '', outcome });
  return ticket;
}

const store: BlobStore = {
  async *read() {
    yield Buffer.from('another');
  },
  put: async () => undefined,
};
const jobs = new Jobs(null as unknown as Submitter, store, { resultBytesMax: 2 ** 20 });
const resultWith = (stdout: object) => encodeEnvelope({ kind: 'run', result: { ...RESULT, stdout } });

test.each([
  ['is empty', NONE, 'the message is cut'],
  ['is no JSON', Buffer.from([1, 0, 0, 0, 1, 0x7b]), 'is not JSON'],
  ['ends before a content', resultWith({ blob: { at: [0, 99] }, totalBytes: 99 }), 'lies outside'],
  [
    'names another file',
    resultWith({ blob: { sha256: SHA, sizeBytes: 7 }, totalBytes: 7 }),
    'something else',
  ],
])('a result that %s is an error of the library', async (_what, outcome, why) => {
  const expected = { name: 'SbxError', code: 'SBX_INTERNAL', message: expect.stringContaining(why) };
  await expect(jobs.runResult(ticketOf(outcome), {})).rejects.toMatchObject(expected);
});

test('the time that contents take on their way is a part of the deadline', async () => {
  const submit = vi.fn<Submitter['submit']>(() => ticketOf(resultWith(EMPTY)));
  const slow = { put: () => pause(systemClock, 100) } as unknown as BlobStore;
  const calls = new Jobs({ submit } as unknown as Submitter, slow, { resultBytesMax: 0 });
  await calls.submit({
    settings: { tenant: 't', maxAttempts: 1, deadlineMs: 60_000, orphanGraceMs: 0 },
    field: 'options',
    async pack(writer) {
      const blob = await writer.put(Buffer.alloc(2 ** 20));
      return { kind: 'run', program: { file: 'cat', args: [], stdin: { blob } } };
    },
  });
  expect(submit.mock.calls[0]![1]).toBeGreaterThanOrEqual(99);
});
