// A web server inside a sandbox, and a port of this machine that leads to it: what a model built can be
// looked at. Nothing else leads in, and nothing out.
import { createServer } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Sandbox } from '@sbx/core';

/** Inside: what comes in goes to the port, what the port says goes out; it ends with the connection. */
const RELAY = 'exec 3<>"/dev/tcp/127.0.0.1/$0" 4<&0 || exit; cat <&4 >&3 & exec cat <&3';

/** One program of the sandbox for each connection. Resolves when it is over. */
async function relay(sandbox, port, socket) {
  const process = await sandbox.spawn('bash', ['-c', RELAY, `${port}`], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'null', // nobody listens there yet, for example
  });
  const inwards = async () => {
    for await (const bytes of socket) await process.stdin.write(bytes);
    await process.stdin.end();
  };
  try {
    await Promise.all([inwards(), pipeline(process.stdout, socket)]);
  } finally {
    await process.close();
  }
}

/** A server on loopback that leads to `port` of the sandbox. */
function expose(sandbox, port) {
  const server = createServer((socket) => {
    // A connection that ends in its middle, on either side, is an end of this one alone.
    relay(sandbox, port, socket).catch(() => socket.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => resolve(server));
  });
}

const SITE = `
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f'built by a model: {self.path}'.encode())
    def log_message(self, *_): pass
with http.server.ThreadingHTTPServer(('127.0.0.1', 8000), Page) as server:
    print('ready', flush=True)
    server.serve_forever()
`;

const sandbox = await Sandbox.create({ network: 'loopback', files: { 'site.py': SITE } });
const site = await sandbox.spawn('python3', ['site.py'], { stdout: 'pipe' });
for await (const line of site.stdout.lines()) if (line === 'ready') break;

const server = await expose(sandbox, 8000);
const url = `http://127.0.0.1:${server.address().port}`; // open it in a browser
for (const page of ['/', '/about']) console.log(await (await fetch(url + page)).text());

server.close();
await sandbox.close(); // the site ends with it
