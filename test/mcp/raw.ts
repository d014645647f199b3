// Requests by plain sockets, as clients send them that mean harm.
import { connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
/** With many calls in one message. */
const VERSION = '2025-03-26';
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

type Headers = Record<string, string>;

export function post(url: string, message: object, headers: Headers = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(message) });
}

export const initialize = (url: string) => post(url, INITIALIZE);

/** The header of a new session. */
export async function openSession(url: string): Promise<Headers> {
  const answer = await initialize(url);
  await answer.text();
  return { 'mcp-session-id': answer.headers.get('mcp-session-id')! };
}

export function callOf(id: number, name: string, args: object) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** A connection that nobody reads until it is resumed. `bytes`: what the body is said to have. */
export function send(url: string, body: string, headers: Headers = {}, bytes = body.length): Socket {
  const { hostname, port, host, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  open.push(socket);
  socket.on('error', () => undefined).pause();
  const lines = Object.entries({ host, ...HEADERS, ...headers, 'content-length': `${bytes}` });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST ${pathname} HTTP/1.1\r\n${head}\r\n${body}`);
  return socket;
}
