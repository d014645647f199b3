// The three ways a request reaches a server. Each resolves with `{ http, body }` or `{ results, error }`.
import { WebSocket } from 'ws';

export const headersOf = (token) => (token ? { authorization: `Bearer ${token}` } : {});

/** `raw`: the body as it is sent. */
export async function overRest({ url, token }, raw) {
  const response = await fetch(`${url}/run`, { method: 'POST', body: raw, headers: headersOf(token) });
  const body = JSON.parse(await response.text());
  return response.status === 200 ? { results: body } : { http: response.status, body };
}

/** The request gets an id; a server that closes the connection gives `{ closed: true }`. */
export function overWs({ url, token }, raw) {
  const request = { ...JSON.parse(raw), requestId: 'conformance' };
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, { headers: headersOf(token) });
    socket.once('open', () => socket.send(JSON.stringify(request)));
    socket.once('message', (data) => {
      resolve(JSON.parse(data.toString()));
      socket.close();
    });
    socket.once('close', () => resolve({ closed: true }));
    socket.once('error', reject);
  });
}

/** No streams in it: the final answer is all that comes. */
export function overStream({ url, token }, raw) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/stream`, { headers: headersOf(token) });
    socket.once('open', () => socket.send(Buffer.concat([Buffer.of(1), Buffer.from(raw)])));
    socket.on('message', (data) => {
      if (data[0] === 1) resolve(JSON.parse(data.subarray(1).toString()));
    });
    socket.once('close', () => resolve({ closed: true }));
    socket.once('error', reject);
  });
}

export const TRANSPORTS = { rest: overRest, ws: overWs, stream: overStream };
