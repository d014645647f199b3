import { describe, expect, it } from 'vitest';
import { FifoClient } from './client.js';

describe('a client', () => {
  it('opens nothing when it is made, and knows its directory in full', () => {
    expect(new FifoClient('no/such').dir).toBe(`${process.cwd()}/no/such`);
  });

  it.each([
    [{ timeoutMs: 5 }, /timeoutMs is not known; known are requestTimeoutMs/],
    [null, /options must be an object of requestTimeoutMs/],
    [[], /options must be an object/],
    [{ requestTimeoutMs: '5' }, /requestTimeoutMs must be a positive number or null; got "5"/],
    [{ requestTimeoutMs: -1 }, /requestTimeoutMs must be a positive number or null; got -1/],
  ])('refuses %o', (options, message) => {
    expect(() => new FifoClient('/x', options as object)).toThrow(message);
  });

  it('does nothing for a signal that is aborted already', async () => {
    const signal = AbortSignal.abort(new Error('mine'));
    await expect(new FifoClient('/no/such').wait({ signal })).rejects.toThrow('mine');
  });

  it.each<[call: (client: FifoClient) => Promise<unknown>, message: string]>([
    [
      (client) => client.wait({ terminate: 'false' as never }),
      'terminate must be true or false; got "false"',
    ],
    [(client) => client.wait(AbortSignal.abort() as never), 'options must be { signal } for an AbortSignal'],
    [(client) => client.wait({ signal: {} as never }), 'signal must be an AbortSignal; got an object'],
    [(client) => client.terminate(5 as never), 'options must be an object'],
    [(client) => client.terminate({ terminate: false } as never), 'terminate is not known'],
    [(client) => client.measure('x' as never), 'section must be a function; got "x"'],
    [(client) => client.checkpoint(undefined as never), 'name must be a string; got nothing'],
    [(client) => client.checkpoint('a', { maxMemoryBytes: '1' as never }), 'maxMemoryBytes must be a number'],
  ])('asks nothing when a call is wrong: %s', async (call, message) => {
    const client = new FifoClient('/no/such');
    const refused = { code: 'SBX_FIFO_INVALID_OPTIONS', message: expect.stringContaining(message) };
    await expect(call(client)).rejects.toMatchObject(refused);
    await expect(client.wait()).rejects.toMatchObject({ code: 'SBX_FIFO_GONE' }); // no last call was made
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
