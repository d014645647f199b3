// Streams given as input flow to nobody while a place is waited for, as Node lets the output of a child do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { Engine } from '@sbx/core';
import { expect, it } from 'vitest';
import { useEngine } from '../helpers/engine.js';

const sbx = useEngine();
const TEXT = 'x'.repeat(1000);

function streamOf(text: string): PassThrough {
  const stream = new PassThrough();
  stream.end(text);
  return stream;
}

/** What Node does to a child's output at the child's end. */
function flow<T>(given: PassThrough, work: (stream: Readable) => T): T {
  const working = work(given);
  given.resume();
  return working;
}

it.each<[string, (stream: Readable) => Promise<string>]>([
  ['run', async (stream) => (await sbx.engine.run('/bin/cat', [], { stdin: { stream } })).stdout.text()],
  [
    'run, another descriptor',
    async (stream) => {
      const fds = { 5: { input: { stream } } };
      return (await sbx.engine.run('/bin/cat', ['/proc/self/fd/5'], { fds })).stdout.text();
    },
  ],
  [
    'spawn',
    async (stream) => {
      const program = await sbx.engine.spawn('/bin/cat', [], { stdin: { stream } });
      return (await program.result).stdout.text();
    },
  ],
  [
    'runGroup',
    async (stream) => {
      const programs = [{ file: '/bin/cat', stdin: { stream } }];
      return (await sbx.engine.runGroup({ programs })).results[0]!.stdout.text();
    },
  ],
])('%s', async (_, work) => {
  expect(await flow(streamOf(TEXT), work)).toBe(TEXT);
});

it('in a session, also for files and as a workspace', async () => {
  await using sandbox = await sbx.engine.createSandbox();
  await flow(streamOf(TEXT), (stream) => sandbox.writeFile('f', stream));
  expect(await sandbox.readTextFile('f')).toBe(TEXT);
  const run = (stream: Readable) => sandbox.run('/bin/cat', [], { stdin: { stream } });
  expect((await flow(streamOf(TEXT), run)).stdout.text()).toBe(TEXT);
  const archive = new PassThrough();
  sandbox.snapshot().pipe(archive);
  await using copy = await flow(archive, (workspace) => sbx.engine.createSandbox({ workspace }));
  expect(await copy.readTextFile('f')).toBe(TEXT);
});

it('the output of child processes that have long ended when there is a place', async () => {
  await using engine = await Engine.open({ parallelism: 1, readyCount: 0 });
  const busy = engine.run('/bin/sleep', ['0.5']);
  const children = [1, 2].map(() => spawn('head', ['-c', '100000', '/dev/zero']));
  const [one, other] = children.map(({ stdout }) => ({ stdin: { stream: stdout } }));
  const counted = engine.run('/usr/bin/wc', ['-c'], one);
  const listed = engine
    .runMany([{ file: '/usr/bin/wc', args: ['-c'], options: other }])
    .then((all) => all[0]!);
  await Promise.all([busy, ...children.map((child) => once(child, 'exit'))]);
  for (const { stdout } of await Promise.all([counted, listed])) expect(stdout.text()).toBe('100000\n');
});
