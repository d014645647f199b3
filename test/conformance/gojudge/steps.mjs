// Cases of several steps: HTTP calls, or messages of one socket. `${name}` in a step is what an earlier one
// kept.
import { request } from 'node:http';
import { WebSocket } from 'ws';
import { differs } from './compare.mjs';
import { expandRequest, writeOut } from './expand.mjs';
import { headersOf } from './transports.mjs';

const ANSWER_WITHIN_MS = 15_000;

/** Differences of the first step that has any. */
export async function runSteps(server, { steps, socket }) {
  const talk = socket === undefined ? null : await openTalk(server, socket);
  const kept = {};
  try {
    for (const [index, template] of writeOut(steps).entries()) {
      const step = JSON.parse(
        JSON.stringify(template).replace(/\$\{(\w+)\}/g, (_all, name) => kept[name] ?? ''),
      );
      const differences = talk === null ? await httpStep(server, step, kept) : await socketStep(talk, step);
      if (differences.length > 0) return differences.map((text) => `step ${index + 1}: ${text}`);
    }
    return [];
  } finally {
    talk?.socket.terminate();
  }
}

// HTTP

async function httpStep(server, { method = 'GET', path, headers = {}, body, run, expect, keep = {} }, kept) {
  const sent = run === undefined ? body : JSON.stringify(expandRequest(run));
  const all = { ...headersOf(server.token), ...headers };
  const answer = await call(server.url, { method, path, headers: all }, sent);
  for (const [name, way] of Object.entries(keep))
    kept[name] = way.reduce((at, key) => at?.[key], answer.json);
  return differs('answer', answer, expect);
}

/** Not fetch: paths and headers arrive as they are written. */
function call(url, { method, path, headers }, body) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode, headers: response.headers, text, json: jsonOf(text) });
      });
    });
    sent.setTimeout(ANSWER_WITHIN_MS, () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : Buffer.from(body));
  });
}

function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Sockets

/** Messages that came and were not looked at yet, and how it ended. */
async function openTalk({ url, token }, kind) {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/${kind}`, { headers: headersOf(token) });
  const talk = { socket, kind, messages: [], closed: undefined, wake: () => undefined };
  socket.on('message', (data) => {
    talk.messages.push(data);
    talk.wake();
  });
  socket.on('close', (code) => {
    talk.closed = code;
    talk.wake();
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.on('error', reject);
  });
  return talk;
}

/** One of: `run`, `text`, `json`, `input`, `resize`, `bytes`, `waitMs`, `receive`, `output`, `closed`. */
async function socketStep(talk, step) {
  if (step.waitMs !== undefined) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
  if (step.receive !== undefined) return receive(talk, step.receive);
  if (step.output !== undefined) return receiveOutput(talk, step.output);
  if (step.closed !== undefined) {
    await until(talk, () => talk.closed !== undefined);
    return differs('closed', talk.closed, step.closed);
  }
  const message = messageOf(talk.kind, step);
  if (message !== undefined) talk.socket.send(message);
  return [];
}

function messageOf(kind, { run, text, json, input, resize, bytes }) {
  if (bytes !== undefined) return Buffer.from(bytes);
  if (input !== undefined)
    return Buffer.from([3, (input.index ?? 0) * 16 + (input.fd ?? 0), ...Buffer.from(input.text)]);
  if (resize !== undefined) return Buffer.from(`\x02${JSON.stringify(resize)}`);
  const content =
    text ?? (run === undefined ? json && JSON.stringify(json) : JSON.stringify(expandRequest(run)));
  return content === undefined ? undefined : kind === 'stream' ? Buffer.from(`\x01${content}`) : content;
}

/** The next answer; on `/stream` output before it is passed over. */
async function receive(talk, expected) {
  for (;;) {
    await until(talk, () => talk.messages.length > 0 || talk.closed !== undefined);
    const message = talk.messages.shift();
    if (message === undefined) return [`closed with ${talk.closed}, expected ${JSON.stringify(expected)}`];
    if (talk.kind === 'stream' && message[0] === 2) continue;
    const text = message.toString();
    return differs('message', jsonOf(talk.kind === 'stream' ? text.slice(1) : text), expected);
  }
}

/** Output of a place until it is that long; that of others stays for later steps. */
async function receiveOutput(talk, { index = 0, fd = 1, text }) {
  const isOurs = (message) => message[0] === 2 && message[1] === index * 16 + fd;
  const isOver = () => talk.closed !== undefined || talk.messages.some((message) => message[0] === 1);
  let got = '';
  while (got.length < text.length) {
    await until(talk, () => isOver() || talk.messages.some(isOurs));
    const at = talk.messages.findIndex(isOurs);
    if (at < 0) break;
    got += talk.messages.splice(at, 1)[0].subarray(2).toString();
  }
  return differs(`output ${index}/${fd}`, got, text);
}

async function until(talk, isDone) {
  const end = performance.now() + ANSWER_WITHIN_MS;
  while (!isDone()) {
    if (performance.now() > end) throw new Error('no message in time');
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, 1000);
      talk.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
