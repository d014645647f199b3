import { expect, test, vi } from 'vitest';
import type { Delivery } from '../links.js';
import { decodeEnvelope, encodeEnvelope } from '../wire/envelope.js';
import { Executor, type ExecutorParts } from './execute.js';

test('a request of a later version ends with an error that says so, and may be sent again', async () => {
  const executor = new Executor({ inputBytesMax: 1, onFailure: vi.fn() } as unknown as ExecutorParts);
  const body = encodeEnvelope({ kind: 'run', program: { file: 'true', args: [], later: 1 } });
  const outcome = await executor.execute({ job: { body } } as Delivery, new AbortController().signal);
  expect(decodeEnvelope(outcome).header).toMatchObject({
    kind: 'error',
    error: { code: 'SBX_INTERNAL', retryable: true, message: expect.stringContaining('of another version') },
  });
});
