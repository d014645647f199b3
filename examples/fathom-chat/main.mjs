// A chat's code blocks, executed over Fathom: output streams in, and a lost connection is made again.
import { FathomClient, isFathomError } from '@sbx/fathom-client';
import { createFathomServer } from '@sbx/fathom-server';

const open = async (port) => {
  const server = await createFathomServer({ port, standby: {} });
  const { urls } = await server.listen();
  return { server, url: urls[0] };
};

let { server, url } = await open(0);
const client = new FathomClient({ url, reconnect: { firstMs: 50 } });
const states = [];
client.onState((state) => states.push(state));

/** Prints as it comes. An error that says so is worth another try. */
async function answer(code) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      for await (const event of client.execute({ language: 'python', code })) {
        if (event.kind === 'stdout') process.stdout.write(event.text);
        if (event.kind === 'result') return event.result.status;
      }
    } catch (error) {
      if (!isFathomError(error) || !error.retryable || attempt === 5) throw error;
    }
  }
}

console.log(await answer('print("before")'));

await server.close(); // an update of the server, say
({ server } = await open(Number(new URL(url).port)));

console.log(await answer('print("after")'));
console.log(states.includes('closed') ? 'the client gave up' : 'the connection was made again');
await client.close();
await server.close();
