// Executions over the Fathom protocol, against a server in a process of its own, in the catalogue's words.
import { fileURLToPath } from 'node:url';
import { startServer } from './child-server.mjs';
import { CONDITIONS } from './conditions.mjs';
import { outcome } from './outcome.mjs';
import { openSocket } from './wire.mjs';

const COMMAND = fileURLToPath(new URL('./bin/sbx.mjs', import.meta.resolve('@sbx/cli/package.json')).href);
const VERDICT_OF = { completed: 'AC', failed: 'NZ', timeout: 'TLE', oom: 'MLE', cancelled: 'KILLED' };

export const envelope = (message) => ({ v: 1, ts: new Date().toISOString(), ...message });

export const execute = (id, code, more = {}) =>
  envelope({
    type: 'execute',
    id,
    language: 'shell',
    code,
    limits: { timeout_ms: CONDITIONS.wallMs, memory_mb: 64, max_output_bytes: CONDITIONS.outputBytes },
    ...more,
  });

export async function startFathom(flags = []) {
  const server = await startServer(COMMAND, [
    'serve',
    'fathom',
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--allow-degraded',
    ...flags,
  ]);
  return { ...server, url: server.url.replace(/^ws/, 'http') };
}

/** One execution on a connection of its own. */
export async function runOnce(url, message) {
  const start = performance.now();
  const { socket, next, send } = await openSocket(url, '/ws');
  send(JSON.stringify(message));
  const facts = { stdout: '', stderr: '', message: '' };
  let verdict = 'IE';
  for (let text = await next(20_000); text !== null; text = await next(20_000)) {
    const heard = JSON.parse(text);
    if (heard.type === 'stdout' || heard.type === 'stderr') facts[heard.type] += heard.data;
    if (heard.type === 'status') verdict = VERDICT_OF[heard.status] ?? verdict;
    if (heard.type === 'error') Object.assign(facts, { message: `${heard.code} ${heard.message}` });
    if (heard.type === 'error' && heard.code !== 'OUTPUT_LIMIT') verdict = 'REFUSED';
    if (heard.type === 'result')
      Object.assign(facts, { exitCode: heard.exit_code, wallMs: heard.duration_ms });
    if (heard.type === 'result' || (heard.type === 'error' && heard.code !== 'OUTPUT_LIMIT')) break;
  }
  socket.terminate();
  return outcome(verdict, { ...facts, replyMs: performance.now() - start });
}

const HELLO =
  'rm -f "$0"; for d in /tmp /dev/shm; do ls -A $d; done; ls /proc | grep -c "^[0-9]"; echo hello';

/** Nothing in /tmp and /dev/shm, and no process but those that look. */
async function hello(url) {
  const one = await runOnce(url, execute('hello', HELLO));
  return { ...one, stdout: one.stdout.replace(/^[1-5]\n(?=hello\n$)/, '') };
}

export async function openFathomTarget(world) {
  // Interpreters that wait are programs of nobody yet; here every program must be somebody's.
  const server = await startFathom(['--standby', 'none']);
  // Heap and allocator grow with the first large messages, and stay so: that is the server's level.
  for (let round = 0; round < 3; round += 1)
    await runOnce(server.url, execute('warm', `: ${'x'.repeat(900_000)}`));
  return {
    name: 'fathom',
    pid: server.pid,
    url: server.url,
    folders: [world.temp],
    slotsMax: 40, // places, interpreters that wait, and ready ones
    hello: () => hello(server.url),
    run: ({ argv }) => runOnce(server.url, execute('run', argv.map((word) => `'${word}'`).join(' '))),
    close: () => server.stop(),
  };
}
