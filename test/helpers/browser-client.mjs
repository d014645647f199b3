/**
 * The client as browsers get it, a global WebSocket that takes no headers. Run with `--conditions=deno`,
 * which has the same entry and leaves ws alone. Arguments: address and token of a server. Prints what a
 * program of one line printed.
 */
import { FathomClient } from '@sbx/fathom-client';
import { WebSocket } from 'ws';

globalThis.WebSocket = WebSocket;
const client = new FathomClient({ url: process.argv[2], token: process.argv[3] });
const { stdout } = await client.execute({ language: 'shell', code: 'echo hi' });
await client.close();
process.stdout.write(stdout);
