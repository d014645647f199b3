// Run as `node imports.mjs ENTRY`: imports it and prints what was asked for on the way,
// `[[from, specifier], …]`, and its names.
import { register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';

const { port1, port2 } = new MessageChannel();
const asked = [];
port1.on('message', (pair) => asked.push(pair));
port1.unref();
const hook = `
  let port;
  export const initialize = (data) => { port = data; };
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    port.postMessage([context.parentURL ?? '', found.url]);
    return found;
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, { data: port2, transferList: [port2] });

const names = Object.keys(await import(process.argv[2]));
await new Promise((resolve) => setTimeout(resolve, 50)); // messages of the hook's thread are on their way
process.stdout.write(JSON.stringify({ asked, names }), () => process.exit());
