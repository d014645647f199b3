import { expect, test } from 'vitest';
import { ended, said, sbx, startSbx } from '../cli/sbx.js';
import { useNats } from './nats.js';

const nats = useNats();

test('worker, status and both servers, from the shell', async () => {
  const args = ['--slots', '2', '--languages', 'python,shell', '--labels', 'rack=a,zone=b', '--json'];
  const bounds = ['--max-input', '1GiB', '--max-output', '64MiB'];
  const worker = startSbx(['worker', '--nats', nats.url, ...args, ...bounds, '--metrics', '127.0.0.1:0']);
  const [, monitor] = await said(worker, /"monitorUrls": \[\s*"(http[^"]+)"/);

  const status = await sbx(['cluster', 'status', '--nats', nats.url, '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({
    version: 1,
    command: 'cluster status',
    workers: [{ slots: 2, running: 0, labels: { rack: 'a', zone: 'b' } }],
    queue: { waiting: 0, running: 0, oldestMs: null },
    tenants: [],
  });
  const table = await sbx(['cluster', 'status', '--nats', nats.url]);
  expect(table.stdout).toMatch(/0\/2 +ready +python,shell +rack=a,zone=b\n\n1 worker, 2 places; 0 jobs run,/);

  const gojudge = startSbx(['serve', 'gojudge', '--cluster', nats.url, '-http-addr', '127.0.0.1:0']);
  const [, url] = await said(gojudge, /"urls":\["(http[^"]+)"/);
  const files = [{ content: '' }, { name: 'stdout', max: 100 }, { name: 'stderr', max: 100 }];
  const cmd = [{ args: ['/bin/echo', 'there'], files, cpuLimit: 1e9, memoryLimit: 2 ** 27, procLimit: 10 }];
  const answer = await fetch(`${url}/run`, { method: 'POST', body: JSON.stringify({ cmd }) });
  expect(await answer.json()).toMatchObject([{ status: 'Accepted', files: { stdout: 'there\n' } }]);

  const page = await fetch(`${monitor}/metrics`);
  expect(page.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await page.text()).toMatch(/^sbx_worker_jobs_ended_total\{outcome="accepted"\} 1$/m);
  const statusOf = async (path: string) => (await fetch(`${monitor}${path}`)).status;
  expect(await Promise.all(['/healthz', '/readyz', '/other'].map(statusOf))).toEqual([200, 200, 404]);

  const fathom = startSbx([
    'serve',
    'fathom',
    '--cluster',
    nats.url,
    '--port',
    '0',
    '--languages',
    'shell',
    '--json',
  ]);
  await said(fathom, /"urls"/);

  for (const child of [gojudge, fathom, worker]) child.kill('SIGTERM');
  expect(
    await Promise.all([gojudge, fathom, worker].map(async (child) => (await ended(child)).code)),
  ).toEqual([0, 0, 0]);
  expect(JSON.parse((await sbx(['cluster', 'status', '--nats', nats.url, '--json'])).stdout).workers).toEqual(
    [],
  );
}, 60_000);

test('a language that is none is told by the flag', async () => {
  const { stderr, code } = await sbx(['worker', '--nats', nats.url, '--languages', 'shell,pyton']);
  expect(stderr).toMatch(/--languages must be a known language; got "pyton"\n.*Did you mean python\?/);
  expect(code).toBe(64);
});

test('what goes wrong has the command of what goes well', async () => {
  const { stdout } = await sbx(['cluster', 'status', '--nats', 'nats://127.0.0.1:1', '--json']);
  const code = 'SBX_CLUSTER_UNAVAILABLE';
  expect(JSON.parse(stdout)).toMatchObject({ version: 1, command: 'cluster status', error: { code } });
});

test.each([
  [['worker'], 64, /--nats/],
  [['worker', '--nats', ''], 64, /--nats must have at least 1 char/],
  [['worker', '--nats', 'nats://127.0.0.1:1'], 69, /broker of the cluster does not answer/],
  [
    ['worker', '--nats', 'nats://127.0.0.1:1', '--labels', 'x'],
    64,
    /--labels: "x" is not a name and a value/,
  ],
  [
    ['worker', '--nats', 'nats://127.0.0.1:1', '--metrics', '9464'],
    64,
    /--metrics must be HOST:PORT; got "9464"/,
  ],
  [['cluster', 'status', '--nats', 'nats://127.0.0.1:1'], 69, /does not answer/],
  [['serve', 'gojudge', '--cluster'], 64, /--cluster needs a value/],
] as const)('%j ends with %i', async (args, code, text) => {
  const result = await sbx(args);
  expect(result.stderr).toMatch(text);
  expect(result.code).toBe(code);
});
