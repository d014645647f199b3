// The deepagents backend for a Python process: a line of JSON asks, a line of JSON answers. Ends with its
// stdin.
import { createInterface } from 'node:readline';
import { createDeepAgentsSandbox } from '@sbx/adapters/deepagents';

const backend = await createDeepAgentsSandbox(class {});

const CALLS = {
  id: () => backend.id,
  execute: ({ command }) => backend.execute(command),
  upload: ({ files }) =>
    backend.uploadFiles(files.map(([path, content]) => [path, Buffer.from(content, 'base64')])),
  async download({ paths }) {
    const files = await backend.downloadFiles(paths);
    return files.map(({ path, content, error }) => ({
      path,
      error,
      content: content && Buffer.from(content).toString('base64'),
    }));
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { call, ...args } = JSON.parse(line);
  const answer = await Promise.resolve(CALLS[call](args)).catch((error) => ({ fault: error.message }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await backend.close();
