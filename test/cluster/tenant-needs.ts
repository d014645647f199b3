/** What a tenant needs of a broker, however that keeps it from others. */
import type { ClusterEngine, Worker } from '@sbx/cluster';
import { expect, test } from 'vitest';
import { until } from '../helpers/wait.js';

/** Tests with an engine of the tenant and the only worker; `of` is called in each of them. */
export function testTenantNeeds(of: () => { engine: ClusterEngine; worker: Worker }): void {
  test('a tenant runs programs, with files that do not fit a message, both ways', async () => {
    const { engine } = of();
    const bytes = Buffer.alloc(3 * 2 ** 20, 'abc');
    const { status, stdout } = await engine.run('/bin/cat', [], {
      stdin: { bytes },
      limits: { outputBytes: bytes.byteLength },
    });
    expect(status).toBe('ok');
    expect(Buffer.compare(stdout.bytes, bytes)).toBe(0);
    expect(engine.workers()).toHaveLength(1);
  });

  test('speaks to a living program', async () => {
    const child = await of().engine.spawn('/bin/cat', [], { stdin: 'pipe', stdout: 'pipe' });
    child.stdin!.end('a word');
    let text = '';
    for await (const chunk of child.stdout!) text += Buffer.from(chunk).toString();
    expect(text).toBe('a word');
    expect((await child.result).status).toBe('ok');
  });

  test('cancels what runs', async () => {
    const { engine, worker } = of();
    const ticket = await engine.submit({ id: 'sleeper', request: { file: '/bin/sleep', args: ['50'] } });
    await until(20_000, 'it runs', () => ticket.state === 'leased');
    await ticket.cancel(new Error('enough'));
    await expect(ticket.result).rejects.toThrow('enough');
    await until(20_000, 'it has ended', () => worker.describe().running === 0);
  });
}
