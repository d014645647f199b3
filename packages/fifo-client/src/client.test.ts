import { describe, expect, it } from 'vitest';
import { FifoClient } from './client.js';

describe('a client', () => {
  it('opens nothing when it is made, and knows its directory in full', () => {
    expect(new FifoClient('no/such').dir).toBe(`${process.cwd()}/no/such`);
  });

  it.each([
    [{ timeoutMs: 5 }, /timeoutMs is not known; known are requestTimeoutMs/],
    [{ requestTimeoutMs: -1 }, /requestTimeoutMs must be a positive number or null; got -1/],
  ])('refuses %o', (options, message) => {
    expect(() => new FifoClient('/x', options as object)).toThrow(message);
  });

  it('does nothing for a signal that is aborted already', async () => {
    const signal = AbortSignal.abort(new Error('mine'));
    await expect(new FifoClient('/no/such').wait({ signal })).rejects.toThrow('mine');
  });

  it('says that it is closed', async () => {
    const client = new FifoClient('/no/such');
    await client.close();
    await expect(client.wait()).rejects.toMatchObject({ code: 'SBX_FIFO_CLOSED' });
  });
});

it('a last call that was aborted before its turn can be made again', async () => {
  const client = new FifoClient('/no/such/directory');
  const before = client.wait();
  const controller = new AbortController();
  const last = client.terminate({ signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(before).rejects.toMatchObject({ code: 'SBX_FIFO_GONE' });
  await expect(last).rejects.toThrow('enough');
  await expect(client.terminate()).rejects.toMatchObject({ code: 'SBX_FIFO_GONE' });
  await expect(client.wait()).rejects.toMatchObject({ code: 'SBX_FIFO_TERMINATED' });
});
