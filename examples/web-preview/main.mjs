// A web server inside a sandbox, and a port of this machine that leads to it: what a model built can be
// looked at. Nothing else leads in, and nothing out.
import { Sandbox } from '@sbx/core';

const SITE = `
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f'built by a model: {self.path}'.encode())
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(('127.0.0.1', 8000), Page).serve_forever()
`;

const sandbox = await Sandbox.create({ network: 'loopback', files: { 'site.py': SITE } });
await sandbox.spawn('python3', ['site.py']);

const { url } = await sandbox.expose(8000); // open it in a browser; it waits until the site is up
for (const page of ['/', '/about']) console.log(await (await fetch(url + page)).text());

await sandbox.close(); // the site ends with it, and the port
