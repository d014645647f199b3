import { SandboxError } from '@sbx/core';
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

test('what no job can bring about is the worker’s fault, and goes with the error for the last attempt', async () => {
  const error = new SandboxError({ code: 'SBX_SANDBOX_LOST', message: 'killed', stage: 'none' });
  const engine = { run: () => Promise.reject(error) };
  const parts = { engine, inputBytesMax: 1, outputBytesMax: 2 ** 26, onFailure: vi.fn() };
  const executor = new Executor(parts as unknown as ExecutorParts);
  const body = encodeEnvelope({ kind: 'run', program: { file: 'true', args: [] } });
  const fault = await executor
    .execute({ job: { body } } as Delivery, new AbortController().signal)
    .catch((reason) => reason);
  expect(fault).toMatchObject({ name: 'WorkerFault', cause: error });
  expect(decodeEnvelope(fault.outcome).header).toMatchObject({ error: { code: 'SBX_SANDBOX_LOST' } });
  expect(parts.onFailure).toHaveBeenCalledWith(error);
});
