// A peer that took the connection and is gone without a word.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { paced } from '../helpers/pace.js';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Answers the upgrade, reads, and never says anything again. */
const deaf = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (head) => {
    const key = /sec-websocket-key: (.+)\r/i.exec(head.toString())![1]!;
    const accept = createHash('sha1')
      .update(key + GUID)
      .digest('base64');
    const answer = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    socket.write([...answer, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
    socket.resume();
  });
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
  url = `ws://127.0.0.1:${(deaf.address() as { port: number }).port}`;
});
afterAll(() => void deaf.close());

/** Runs a script in a process of its own, and tells when that has ended. */
async function timeOf(script: string): Promise<{ ms: number; stdout: string }> {
  const since = performance.now();
  const code = `import { FathomClient } from '@sbx/fathom-client'; const url = '${url}'; ${script}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  return { ms: performance.now() - since, stdout };
}

test('close() does not keep the process', async () => {
  const { ms } = await timeOf(
    'const client = new FathomClient({ url }); await client.connect(); await client.close();',
  );
  expect(ms).toBeLessThan(paced(5000));
});

test('ping() rejects, and the process ends', async () => {
  const { ms, stdout } = await timeOf(`
    const client = new FathomClient({ url, pingTimeoutMs: 500, reconnect: false });
    await client.ping().catch((error) => console.log(error.code));
    await client.close();`);
  expect(stdout).toBe('FATHOM_CONNECTION\n');
  expect(ms).toBeLessThan(paced(6000));
});
