import type { ServerContext } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { CallMemory } from './call-memory.js';
import { progressOf } from './progress.js';

const MIB = 2 ** 20;

function asking(progressToken?: string | number) {
  const sent: { params: { message: string; progress: number } }[] = [];
  const notify = async (message: (typeof sent)[number]) => void sent.push(message);
  const _meta = progressToken === undefined ? {} : { progressToken };
  const ctx = { mcpReq: { _meta, notify } } as unknown as ServerContext;
  return { sent, progress: progressOf(ctx, new CallMemory(MIB).share(1)) };
}

test.each([7, 'a', 'a'.repeat(1024)])('output is told to who asks for it', async (token) => {
  const { sent, progress } = asking(token);
  await progress?.onStdout(Buffer.from('one'));
  await progress?.finish();
  expect(sent).toMatchObject([{ params: { progressToken: token, message: 'one', progress: 3 } }]);
});

test('and not to others, nor under a name that each message would be made of', () => {
  expect(asking().progress).toBeNull();
  expect(asking('a'.repeat(1025)).progress).toBeNull();
});
