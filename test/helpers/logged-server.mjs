// A go-judge server in a process of its own, for flags of V8's. Says where it listens.
import { createGojudgeServer } from '@sbx/gojudge-server';

const server = await createGojudgeServer({ host: '127.0.0.1', port: 0, parallelism: 2 });
process.once('SIGTERM', () => server.close());
const { urls } = await server.listen();
process.stdout.write(`${urls[0]}\n`);
