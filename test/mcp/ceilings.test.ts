// What a call may ask for where the engine is the caller's, as behind the port of all protocols.
import { createMcpServer } from '@sbx/mcp';
import { expect, test } from 'vitest';
import { TestClient, useServer } from './server.js';

const own = useServer();

test.each([
  ['run_command', { command: 'echo ran' }],
  ['run_code', { language: 'shell', code: 'echo ran' }],
  ['create_sandbox', {}],
])('%s keeps to the ceilings of the server', async (name, args) => {
  await using server = await createMcpServer({
    port: 0,
    engine: own.server.engine,
    ceilings: { wallTimeMs: 5000 },
  });
  const [url] = (await server.listen()).urls as [string];
  await using client = await TestClient.overHttp(url, 'legacy');
  const ask = (wallTimeMs: number) => client.call(name, { ...args, limits: { wallTimeMs } });
  expect(await ask(5001)).toMatchObject({
    isError: true,
    text: expect.stringContaining('limits.wallTimeMs must be at most 5000, the ceiling'),
  });
  expect(await ask(5000)).toMatchObject({ isError: false });
});
