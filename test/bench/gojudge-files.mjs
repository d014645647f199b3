/**
 * Servers that speak go-judge's protocol: 200 MiB into the file store and out again, by a client that costs
 * little, on each server in turn. Without a URL one of ours is started. The first is compared to each of the
 * others.
 */
import { connect } from 'node:net';
import { figure, ratioOf } from './lib/figures.mjs';
import { startOwn } from './lib/gojudge-own.mjs';
import { Connection, makeRequest } from './lib/http-client.mjs';
import { cpuMs, serverProcesses } from './lib/server-processes.mjs';
import { p50 } from './lib/stats.mjs';

export const title = 'go-judge servers: 200 MiB into the file store and out of it';

const ROUNDS = 20;
const PIECES = 200;
const PIECE = Buffer.alloc(2 ** 20, 'some text of a program, line by line\n');
const BYTES = PIECES * PIECE.byteLength;
const BOUNDARY = 'boundary-of-the-benchmark';

export async function measure({ scale, urls = [] }) {
  const own = urls.length === 0 ? await startOwn() : null;
  const servers = (own === null ? urls : [own.url]).map((url, index) => ({
    url,
    name: `server${index + 1}`,
    upload: { ms: [], cpuMs: [] },
    download: { ms: [], cpuMs: [] },
  }));
  try {
    for (let round = 0; round < Math.max(2, ROUNDS * scale); round += 1) {
      // Nobody is always first.
      for (let place = 0; place < servers.length; place += 1) {
        await measureServer(servers[(place + round) % servers.length]);
      }
    }
  } finally {
    own?.process.kill('SIGTERM');
  }
  return ['upload', 'download'].flatMap((way) => toFigures(servers, way));
}

async function measureServer({ url, upload, download }) {
  const id = await timed(url, upload, () => sendFile(url));
  await timed(url, download, () => receiveFile(url, id));
  const connection = new Connection(url);
  await connection.send(makeRequest({ method: 'DELETE', path: `/file/${id}` }));
  connection.close();
}

async function timed(url, samples, transfer) {
  const cpuBefore = cpuMs(serverProcesses(url));
  const from = performance.now();
  const value = await transfer();
  samples.ms.push(performance.now() - from);
  samples.cpuMs.push(cpuMs(serverProcesses(url)) - cpuBefore);
  return value;
}

/** Resolves with the id. */
function sendFile(url) {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
  const tail = `\r\n--${BOUNDARY}--\r\n`;
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /file HTTP/1.1\r\nHost: bench\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\n` +
      `Content-Length: ${head.length + BYTES + tail.length}\r\n\r\n${head}`,
  );
  let sent = 0;
  const send = () => {
    while (sent < PIECES) {
      sent += 1;
      if (!socket.write(PIECE)) return void socket.once('drain', send);
    }
    socket.write(tail);
  };
  send();
  let answer = '';
  return settled(socket, (resolve) => {
    socket.on('data', (chunk) => {
      answer += chunk;
      const id = /\r\n\r\n"(\w+)"/.exec(answer)?.[1];
      if (id !== undefined) resolve(id);
    });
  });
}

/** Counts what comes, into one buffer. */
function receiveFile(url, id) {
  const { hostname, port } = new URL(url);
  let head = '';
  let bytes = -1;
  let resolveWith;
  const count = (length, buffer) => {
    if (bytes >= 0) bytes += length;
    else {
      head += buffer.toString('latin1', 0, length);
      const end = head.indexOf('\r\n\r\n');
      if (end >= 0) bytes = head.length - end - 4;
    }
    if (bytes >= BYTES) resolveWith();
    return true;
  };
  const onread = { buffer: Buffer.allocUnsafeSlow(2 ** 20), callback: count };
  const socket = connect({ host: hostname, port: Number(port), onread });
  socket.write(`GET /file/${id} HTTP/1.1\r\nHost: bench\r\n\r\n`);
  return settled(socket, (resolve) => {
    resolveWith = resolve;
  });
}

async function settled(socket, begin) {
  try {
    return await new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the server closed the connection')));
      begin(resolve);
    });
  } finally {
    socket.destroy();
  }
}

function toFigures(servers, way) {
  const [ours, ...others] = servers;
  return [
    ...servers.flatMap(({ name, [way]: { ms, cpuMs: cpu } }) => [
      figure({ name: `${name}_${way}_ms`, unit: 'ms', samples: ms }),
      figure({ name: `${name}_${way}_cpu_ms`, unit: 'ms', samples: cpu }),
    ]),
    ...others.map((other) =>
      ratioOf(p50, {
        name: `${way}_by_${other.name}`,
        above: ours[way].ms,
        below: other[way].ms,
        bar: 1,
      }),
    ),
  ];
}
