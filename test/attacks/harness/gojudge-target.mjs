// Runs over the go-judge interface, against a server in a process of its own, in the catalogue's words.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './child-server.mjs';
import { CONDITIONS, sandboxMounts } from './conditions.mjs';
import { requester } from './http.mjs';
import { outcome } from './outcome.mjs';

const COMMAND = fileURLToPath(
  import.meta.resolve('@sbx/gojudge-server').replace(/dist\/.*$/, 'bin/sbx-gojudge.mjs'),
);

const VERDICT_OF = {
  Accepted: 'AC',
  'Nonzero Exit Status': 'NZ',
  Signalled: 'SIG',
  'Time Limit Exceeded': 'TLE',
  'Memory Limit Exceeded': 'MLE',
  'Output Limit Exceeded': 'OLE',
  'File Error': 'FE',
  'Dangerous Syscall': 'DS',
  'Internal Error': 'IE',
};

/** An Internal Error that says what the request got wrong. */
const START_REFUSED =
  /argument list too long|no such file|not found|permission denied|exec format|not executable/i;

const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];

/** mount.yaml with the catalogue's image. JSON is YAML. */
function mountConf(world) {
  const bind = (source, target, readonly) => ({ type: 'bind', source, target, readonly });
  const data = `size=${CONDITIONS.diskBytes / 2 ** 20}m,nr_inodes=${CONDITIONS.diskFiles}`;
  const mount = [
    ...SYSTEM.map((path) => bind(path, path, true)),
    ...sandboxMounts(world).map(({ source, target, writable }) => bind(source, target, !writable)),
    { type: 'tmpfs', target: '/w', data },
    { type: 'tmpfs', target: '/tmp', data },
  ];
  const path = join(world.folder, 'mount.yaml');
  writeFileSync(path, JSON.stringify({ mount, proc: true, hostName: 'sandbox', workDir: '/w' }));
  return path;
}

/** A server with more flags, and a store that is its own. */
export async function startGojudge(world, more = [], env = {}) {
  const store = mkdtempSync(join(world.stores, 'store-'));
  const server = await startServer(
    COMMAND,
    [
      ...['-http-addr', '127.0.0.1:0', '-parallelism', String(CONDITIONS.parallelism), '-release'],
      ...[
        '-mount-conf',
        mountConf(world),
        '-dir',
        store,
        '-src-prefix',
        world.shown,
        '-open-file-limit',
        '4096',
      ],
      ...more,
    ],
    env,
  );
  return { ...server, store, removeStore: () => rmSync(store, { recursive: true }) };
}

const nanoseconds = (ms) => Math.round(ms * 1e6);

function collectors(spec, max) {
  const pipe = spec.collect !== 'file';
  const input = { content: typeof spec.stdin === 'string' ? spec.stdin : '' };
  return [input, { name: 'stdout', max, pipe }, { name: 'stderr', max, pipe }];
}

/** One `cmd` of a request. */
export function cmdOf(spec) {
  const limits = { ...CONDITIONS, ...spec.limits };
  const env = spec.env ?? { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/w', LANG: 'C.UTF-8' };
  return {
    args: spec.argv,
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    files: collectors(spec, limits.outputBytes),
    tty: spec.pty === true,
    cpuLimit: nanoseconds(limits.cpuMs),
    clockLimit: nanoseconds(limits.wallMs),
    memoryLimit: limits.memoryBytes,
    procLimit: limits.procs,
    stackLimit:
      limits.stackBytes === undefined ? 64 * 2 ** 20 : Math.min(limits.stackBytes, limits.memoryBytes),
    copyIn: spec.copyIn ?? {},
    copyOut: spec.copyOut ?? [],
    copyOutMax: spec.copyOutMaxBytes ?? CONDITIONS.copyOutMaxBytes,
    ...spec.gojudge,
  };
}

/** The verdict and figures of one `Result`. */
export function fromResult(result) {
  const { stdout = '', stderr = '', ...files } = result.files ?? {};
  const errors = (result.fileError ?? []).map(({ name, type, message }) => `${type} ${name}: ${message}`);
  const message = [result.error ?? '', ...errors].filter((text) => text !== '').join(', ');
  const word = VERDICT_OF[result.status] ?? 'IE';
  const bySignal = ['SIG', 'TLE', 'MLE', 'DS'].includes(word) || (word === 'OLE' && result.exitStatus > 0);
  return outcome(word === 'IE' && START_REFUSED.test(message) ? 'REFUSED' : word, {
    exitCode: bySignal ? null : result.exitStatus,
    signal: bySignal ? (SIGNAL_NAMES.get(result.exitStatus) ?? null) : null,
    stdout,
    stderr,
    stdoutBytes: Buffer.byteLength(stdout),
    stderrBytes: Buffer.byteLength(stderr),
    cpuMs: result.time / 1e6,
    wallMs: result.runTime / 1e6,
    memory: result.memory,
    procPeak: result.procPeak ?? null,
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])),
    fileErrors: result.fileError ?? [],
    message,
  });
}

/** Bytes go in by the store: JSON has only text. */
async function copyInOf(files, store) {
  const entries = Object.entries(files ?? {}).map(async ([name, data]) => [
    name,
    typeof data === 'string' ? { content: data } : { fileId: await store(data) },
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

/** A client of one server: `run` as targets have it, and what only servers have. */
export function gojudgeClient(url) {
  const request = requester(url);
  const post = (body, options) => request('/run', { method: 'POST', body: JSON.stringify(body), ...options });

  async function store(data) {
    const head = '--part\r\nContent-Disposition: form-data; name="file"; filename="input"\r\n\r\n';
    const body = Buffer.concat([Buffer.from(head), Buffer.from(data), Buffer.from('\r\n--part--\r\n')]);
    const headers = { 'content-type': 'multipart/form-data; boundary=part' };
    return (await request('/file', { method: 'POST', headers, body })).json();
  }

  async function answered(spec, copyIn) {
    const response = await post({ cmd: [cmdOf({ ...spec, copyIn })] }, { signal: spec.signal });
    const text = response.text();
    if (response.status !== 200)
      return outcome('REFUSED', { message: `${response.status} ${text.slice(0, 300)}` });
    return fromResult(JSON.parse(text)[0]);
  }

  async function run(spec) {
    const copyIn = await copyInOf(spec.files, store);
    const start = performance.now();
    const one = await answered(spec, copyIn).catch((error) =>
      outcome(spec.signal?.aborted ? 'KILLED' : 'IE', { message: String(error.cause ?? error) }),
    );
    one.replyMs = performance.now() - start;
    const stored = Object.values(copyIn).flatMap(({ fileId }) => fileId ?? []);
    for (const id of stored) await request(`/file/${id}`, { method: 'DELETE' });
    return one;
  }

  /** `files` of a cmd that reads a stored file. */
  const stdinFile = (fileId) => ({
    files: [{ fileId }, ...collectors({}, CONDITIONS.outputBytes).slice(1)],
  });
  return { url, request, post, store, run, stdinFile };
}

/** Heap and allocator of a server grow with its first large requests, and stay so: that is its level. */
async function warmUp({ run }) {
  const env = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`V${index}`, '1']));
  for (let round = 0; round < 4; round += 1) await run({ argv: ['/bin/true'], env });
  await run({ argv: ['/t/flood-many', '16'] });
}

export async function openGojudgeTarget(world) {
  const server = await startGojudge(world);
  const client = gojudgeClient(server.url);
  await warmUp(client);
  return {
    name: 'gojudge',
    pid: server.pid,
    folders: [world.temp, server.store],
    slotsMax: CONDITIONS.slotsMax,
    log: server.log,
    ...client,
    hello: () => client.run({ argv: ['/a/hello'] }),
    close: () => server.stop(),
  };
}
