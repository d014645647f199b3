// A go-judge server in a process of its own, for flags of V8's. Says where it listens; marks V8's log with
// each line of its standard input, and answers.
import { createInterface } from 'node:readline';
import { createGojudgeServer } from '@sbx/gojudge-server';
import { markLog } from './mark-log.mjs';

const server = await createGojudgeServer({ host: '127.0.0.1', port: 0, parallelism: 2 });
process.once('SIGTERM', () => {
  process.stdin.destroy();
  void server.close();
});
createInterface({ input: process.stdin }).on('line', (name) => {
  markLog(name);
  process.stdout.write(`${name}\n`);
});
const { urls } = await server.listen();
process.stdout.write(`${urls[0]}\n`);
