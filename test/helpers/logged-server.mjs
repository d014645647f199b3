// A go-judge server in a process of its own, for flags of V8's. Says where it listens; for each line of its
// standard input it reads a property of that name, so that V8's log has a line with it, and answers.
import { createInterface } from 'node:readline';
import { createGojudgeServer } from '@sbx/gojudge-server';

/** V8 logs how it finds a property only in a function that has run for a while. */
const ENOUGH_READS = 10_000;

const server = await createGojudgeServer({ host: '127.0.0.1', port: 0, parallelism: 2 });
process.once('SIGTERM', () => {
  process.stdin.destroy();
  void server.close();
});
createInterface({ input: process.stdin }).on('line', (name) => {
  new Function('object', 'reads', `for (let i = 0; i < reads; i++) object.${name};`)(
    { [name]: 0 },
    ENOUGH_READS,
  );
  process.stdout.write(`${name}\n`);
});
const { urls } = await server.listen();
process.stdout.write(`${urls[0]}\n`);
