// In strict sandboxes programs can make the calls of their language's family.
import { SYSCALL_FAMILIES, type SyscallFamily } from '@sbx/core';
import { describe, expect, test } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';

const use = useEngine();

async function answers(calls: string[], options: object): Promise<string[]> {
  const { stdout } = await use.engine.run(t('try-syscalls'), calls, options);
  return stdout.text().trim().split('\n');
}

/** None does anything; `mount` is refused by the filter below, `no. 500` is of no kernel. */
const CALLS = [
  'shmget,-1,0,0',
  'mincore,1,0,0',
  'pkey_alloc,1,9',
  'timer_create,99,0,0',
  'landlock_create_ruleset',
  'fsopen',
  'mount',
  '500',
];

describe('calls outside of the family are refused', () => {
  const expected: Record<SyscallFamily, string[]> = {
    any: ['EPERM', 'EINVAL', 'EINVAL', 'EINVAL'],
    native: ['EPERM', 'EPERM', 'EPERM', 'EINVAL'],
    python: ['EPERM', 'EPERM', 'EPERM', 'EPERM'],
    node: ['EPERM', 'EPERM', 'EINVAL', 'EPERM'],
    jvm: ['EPERM', 'EINVAL', 'EPERM', 'EPERM'],
    beam: ['EPERM', 'EPERM', 'EPERM', 'EPERM'],
    shell: ['EPERM', 'EPERM', 'EPERM', 'EINVAL'],
  };
  test.each(SYSCALL_FAMILIES)('%s', async (seccompFamily) => {
    const seen = await answers(CALLS, { seccomp: 'strict', seccompFamily });
    expect(seen.map((line) => line.split(' ')[1])).toEqual([
      ...expected[seccompFamily],
      'ENOSYS',
      'ENOSYS',
      'EPERM',
      'ENOSYS',
    ]);
  });
});

test('the default filter has no families', async () => {
  const [seen] = await answers(['mincore,1,0,0'], { seccompFamily: 'shell' });
  expect(seen).toBe('mincore EINVAL');
});

test('with seccompAction a call outside kills, and one of a younger kernel does not', async () => {
  const options = { seccomp: 'strict', seccompFamily: 'python', seccompAction: 'kill' } as const;
  expect((await use.engine.run(t('try-syscalls'), ['shmget,-1,0,0'], options)).status).toBe(
    'forbidden-syscall',
  );
  expect(await answers(['landlock_create_ruleset', '500'], options)).toEqual([
    'landlock_create_ruleset ENOSYS',
    '500 ENOSYS',
  ]);
});

test('programs of a session have families of their own, one after another and beside each other', async () => {
  await using sandbox = await use.engine.createSandbox({ seccomp: 'strict' });
  const seen = async (seccompFamily: SyscallFamily) =>
    (
      await sandbox.run(t('try-syscalls'), ['mincore,1,0,0', 'pkey_alloc,1,9'], { seccompFamily })
    ).stdout.text();
  expect(await seen('jvm')).toBe('mincore EINVAL\npkey_alloc EPERM\n');
  expect(await seen('node')).toBe('mincore EPERM\npkey_alloc EINVAL\n');
  const beside = await Promise.all([seen('jvm'), seen('node'), seen('jvm')]);
  expect(beside.map((text) => text.startsWith('mincore EINVAL'))).toEqual([true, false, true]);
});

test('a filter of the caller’s comes on top', async () => {
  const { Engine } = await import('@sbx/core');
  const seccomp = {
    base: 'strict',
    defaultAction: 'allow',
    rules: [{ names: ['uname'], action: 'errno' }],
  } as const;
  await using engine = await Engine.open({ seccomp, mounts: use.engine.info().mounts });
  const { stdout } = await engine.run(t('try-syscalls'), ['uname', 'mincore,1,0,0'], {
    seccompFamily: 'python',
  });
  expect(stdout.text()).toBe('uname EPERM\nmincore EPERM\n');
});

test('a word that is no family is refused', async () => {
  await expect(use.engine.run('true', [], { seccompFamily: 'perl' as never })).rejects.toThrow(
    /seccompFamily must be one of 'any', 'native'/,
  );
});

/** More than a sample: threads, children, sockets and timers. Each prints `done`. */
const PROGRAMS: readonly [SyscallFamily, string, string[]][] = [
  [
    'python',
    'python3',
    [
      '-c',
      `import asyncio, concurrent.futures as f, mmap, multiprocessing as m, os, shutil, signal, socket, subprocess, tempfile, threading
def square(x): return x * x
async def child():
    await (await asyncio.create_subprocess_exec('true')).wait()
    (await asyncio.start_unix_server(lambda r, w: None, '/tmp/socket')).close()
with m.get_context('fork').Pool(2) as pool: assert pool.map(square, [2, 3]) == [4, 9]
with f.ThreadPoolExecutor() as threads: assert list(threads.map(square, [2])) == [4]
asyncio.run(child())
assert subprocess.run(['echo', 'x'], capture_output=True).stdout == b'x\\n'
folder = tempfile.mkdtemp(); open(folder + '/a', 'w').close(); shutil.copytree(folder, '/tmp/b'); shutil.rmtree('/tmp/b')
a, b = socket.socketpair(); a.send(b'x'); b.recv(1); mmap.mmap(-1, 4096)
signal.signal(signal.SIGALRM, lambda *all: None); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()
print('done')`,
    ],
  ],
  [
    'node',
    'node',
    [
      '-e',
      `const { Worker } = require('node:worker_threads'), net = require('node:net'), fs = require('node:fs');
new WebAssembly.Memory({ initial: 1 }); fs.writeFileSync('/tmp/a', 'x'); fs.copyFileSync('/tmp/a', '/tmp/b'); fs.rmSync('/tmp/b');
require('node:child_process').execSync('echo x'); require('node:crypto').generateKeyPairSync('ed25519');
const server = net.createServer((socket) => socket.end()).listen('/tmp/socket', () => net.connect('/tmp/socket').on('close', () => server.close()).resume());
new Worker('setTimeout(() => {}, 5)', { eval: true }).on('exit', () => require('node:zlib').gzip('x', () => console.log('done')));`,
    ],
  ],
  [
    'shell',
    'sh',
    [
      '-c',
      `x=$(echo hi | tr a-z A-Z); mkdir -p d/a; touch d/b; cp -a d e; mv e f; ln -s x d/l; rm -rf d f; sleep 0.01 & wait
cat /etc/passwd | sort | uniq -c | head -1 | awk '{ print $1 }' > n; find /etc -maxdepth 1 > /dev/null; grep -r root /etc/passwd > /dev/null
timeout 1 true; nproc > n; id > n; df / > n; tar cf t.tar n; gzip -c t.tar > t.gz; mkfifo p; dd if=/dev/zero of=n count=1 2> /dev/null
truncate -s 3 n; chmod 600 n; split -b1 n s; nice true; stat n > /dev/null; env -i true; seq 3 | xargs -n1 true; trap : INT; kill -0 $$; echo done`,
    ],
  ],
];

test.each(PROGRAMS)(
  'what programs of %s do goes on, and nothing of it would have been killed',
  async (seccompFamily, file, args) => {
    const options = { seccomp: 'strict', seccompFamily, limits: { processCount: 64 } } as const;
    for (const seccompAction of ['errno', 'kill'] as const) {
      const { status, stdout, stderr } = await use.engine.run(file, args, { ...options, seccompAction });
      expect([stderr.text(), stdout.text(), status]).toEqual(['', 'done\n', 'ok']);
    }
  },
);
