// What is seen to hold on arm64, in an emulated guest: a process start takes some 70 ms there, so these are
// few, in one process, and their times are wide. Prints a line for each and counts at the end.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { Engine, Sandbox } from '@sbx/core';
import { FathomClient } from '@sbx/fathom-client';
import { createFathomServer } from '@sbx/fathom-server';
import { startFifoSandbox } from '@sbx/fifo-protocol/server';
import { createGojudgeServer } from '@sbx/gojudge-server';

const MiB = 2 ** 20;
const limits = { cpuTimeMs: 60_000, wallTimeMs: 90_000, memoryBytes: 64 * MiB };
const engine = await Engine.open({ limits });
const sh = (script, options) => engine.run('/bin/sh', ['-c', script], options);

/** A script with its limits → the status that it has to end with. */
const VERDICTS = [
  ['true', {}, 'ok'],
  ['exit 3', {}, 'exit'],
  ['kill -SEGV $$', {}, 'signal'],
  ['while :; do :; done', { cpuTimeMs: 500 }, 'cpu-limit'],
  ['sleep 100', { wallTimeMs: 1000 }, 'wall-limit'],
  ['head -c 300000000 /dev/zero | tail', { memoryBytes: 48 * MiB }, 'memory-limit'],
  ['while :; do echo 0123456789; done', { outputBytes: 4096 }, 'output-limit'],
];

/** What a program tries; each has to fail for it. */
const ATTACKS = [
  ['a namespace of its own', 'unshare -r true'],
  ['a mount', 'mount -t tmpfs tmpfs /tmp'],
  ['a file of the system', 'echo x >/etc/passwd || echo x >/usr/x'],
  [
    'a process outside',
    'kill -0 $(($(cut -d" " -f4 /proc/self/stat) - 1)) && test $(ls -d /proc/[0-9]* | wc -l) -gt 6',
  ],
  ['a network', 'test "$(tail -n +3 /proc/net/dev | grep -vc lo:)" != 0'],
  ['a way up', 'cat /proc/1/root/etc/passwd'],
];

async function session() {
  const sandbox = await Sandbox.create({ engine });
  await sandbox.writeFile('in.txt', 'kept');
  const first = await sandbox.run('/bin/sh', ['-c', 'cat in.txt >out.txt; sleep 1000 & exit 0']);
  assert.equal(first.status, 'ok');
  assert.equal(Buffer.from(await sandbox.readFile('out.txt')).toString(), 'kept');
  await sandbox.close();
}

async function group() {
  const cat = { file: '/bin/cat' };
  const say = { file: '/bin/sh', args: ['-c', 'echo through'] };
  const result = await engine.runGroup({
    programs: [say, cat],
    pipes: [{ from: { index: 0, fd: 1 }, to: { index: 1, fd: 0 } }],
  });
  assert.match(JSON.stringify(result.results.map(({ status }) => status)), /^\["ok","ok"\]$/);
  assert.equal(result.results[1].stdout.text(), 'through\n');
}

async function terminal() {
  const result = await sh('test -t 0 && stty size 2>/dev/null || tty', { pty: { cols: 100, rows: 30 } });
  assert.match(result.stdout.text(), /30 100|dev/);
}

async function forks() {
  const result = await sh('for i in 1 2 3 4 5 6 7 8 9; do sleep 100 & done; wait', {
    limits: { processCount: 4, wallTimeMs: 5000 },
  });
  assert.notEqual(result.status, 'ok');
  assert.ok(result.usage.processPeakCount <= 4);
}

async function gojudge() {
  const server = await createGojudgeServer({ host: '127.0.0.1', port: 0, parallelism: 1 });
  const { urls } = await server.listen();
  const files = [{ content: '' }, { name: 'stdout', max: 1024 }, { name: 'stderr', max: 1024 }];
  const cmd = [
    {
      args: ['/bin/echo', 'judged'],
      env: ['PATH=/usr/bin:/bin'],
      files,
      cpuLimit: 5e9,
      memoryLimit: 64 * MiB,
      procLimit: 10,
    },
  ];
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${urls[0]}/run`, { method: 'POST', headers, body: JSON.stringify({ cmd }) });
  const [result] = await answer.json();
  assert.equal(result.status, 'Accepted');
  assert.equal(result.files.stdout, 'judged\n');
  await server.close();
}

async function fathom() {
  const server = await createFathomServer({ port: 0, standby: {}, engine });
  const { urls } = await server.listen();
  const client = new FathomClient({ url: urls[0] });
  const result = await client.execute({ language: 'shell', code: 'echo streamed' });
  assert.equal(result.stdout, 'streamed\n');
  await client.close();
  await server.close();
}

async function fifo() {
  const managed = await startFifoSandbox(engine, 'sleep', ['100']);
  const ask = (script) => promisify(execFile)('sh', ['-c', script], { cwd: managed.dir });
  const { stdout } = await ask('printf 1 > wait; cat status');
  assert.match(stdout, /running normally/);
  await ask('printf 0 > wait; cat status');
  await managed.finished;
}

async function nothingLeft() {
  const { path } = engine.info().cgroup;
  await engine.close();
  assert.deepEqual(
    readdirSync(path).filter((name) => name.startsWith('sbx-') && name.includes(`-${process.pid}-`)),
    [],
  );
}

const CASES = [
  ['the processor', () => assert.equal(process.arch, 'arm64')],
  ...VERDICTS.map(([script, own, status]) => [
    `${status}: ${script}`,
    async () => {
      const result = await sh(script, { limits: own });
      assert.equal(result.status, status, result.stderr.text());
    },
  ]),
  ...ATTACKS.map(([what, script]) => [
    `no ${what}`,
    async () => {
      const { status, stdout, stderr } = await sh(script);
      assert.equal(status, 'exit', stdout.text());
      assert.doesNotMatch(stderr.text(), /not found/);
    },
  ]),
  ['a bound on processes', forks],
  ['files and a process left over in a session', session],
  ['two programs and a pipe', group],
  ['a terminal', terminal],
  ['go-judge', gojudge],
  ['Fathom', fathom],
  ['two pipes', fifo],
  ['nothing is left', nothingLeft],
];

const say = (line) => process.stdout.write(`${line}\n`);
let failed = 0;
for (const [name, work] of CASES) {
  const start = performance.now();
  try {
    await work();
    say(`ok    ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failed += 1;
    say(`FAIL  ${name}: ${error.stack}`);
  }
}
say(`${CASES.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
