/** Our go-judge server in a process of its own, as users start it. */
import { spawn } from 'node:child_process';

/** Resolves with the process and its URL once it listens. */
export async function startOwn() {
  const bin = new URL('../../../packages/gojudge-server/bin/sbx-gojudge.mjs', import.meta.url).pathname;
  const args = [bin, '-http-addr', '127.0.0.1:0', '-parallelism', '2', '-mount-conf', 'none.yaml'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const chunk of child.stderr) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(chunk.toString())?.[0];
    if (url !== undefined) return { process: child, url };
  }
  throw new Error('the server did not start');
}
