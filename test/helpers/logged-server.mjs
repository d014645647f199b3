// A go-judge server in a process of its own, for flags of V8's. Says where it listens; marks V8's log with
// each line of its standard input, and answers.
import { createGojudgeServer } from '@sbx/gojudge-server';
import { answerLines } from './answer-lines.mjs';

const server = await createGojudgeServer({ host: '127.0.0.1', port: 0, parallelism: 2 });
answerLines({ close: () => server.close() });
const { urls } = await server.listen();
process.stdout.write(`${urls[0]}\n`);
