/**
 * What a program meets here and not with go-judge: the rows of "Within a sandbox" in
 * docs/protocols/gojudge.md, seen by a program.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cmd, post, useServer } from './server.js';

const server = useServer();

const PROBE = String.raw`
import ctypes, errno, os, socket, mmap, time

libc = ctypes.CDLL(None, use_errno=True)

def show(name, value):
    print(name, '=', value, flush=True)

def call(name, *args):
    result = getattr(libc, name)(*args)
    show(name, errno.errorcode[ctypes.get_errno()] if result < 0 else 'ok')

for line in open('/proc/self/limits').read().splitlines()[1:]:
    show(line[4:26].strip(), line[26:47].strip() + ' ' + line[47:68].strip())

show('/proc', ' '.join(sorted(name for name in os.listdir('/proc') if not name.isdigit())))
for name in ('/proc/1/status', '/proc/meminfo', '/proc/sys/kernel/pid_max', '/proc/net/tcp', '/sys/devices', '/dev/shm', '/dev/tty'):
    try:
        os.stat(name)
        show(name, 'ok')
    except OSError as error:
        show(name, errno.errorcode[error.errno])

page = mmap.mmap(-1, 1 << 20)
address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))
call('mlock', address, ctypes.c_size_t(1 << 20))
call('unshare', 0x10000000)
call('mq_open', b'/q', os.O_CREAT | os.O_RDWR, 0o600, None)
call('name_to_handle_at', -100, b'.', ctypes.create_string_buffer(256), ctypes.create_string_buffer(8), 0)
call('process_vm_readv', os.getpid(), None, 0, None, 0, 0)
try:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
    show('netlink', 'ok')
except OSError as error:
    show('netlink', errno.errorcode[error.errno])
timers = 0
event = ctypes.create_string_buffer(64)
ctypes.memmove(ctypes.addressof(event) + 12, b'\1\0\0\0', 4)
while timers < 3000 and libc.timer_create(1, event, ctypes.byref(ctypes.c_void_p())) == 0:
    timers += 1
show('timers', timers)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
show('CPUs', os.sysconf('SC_NPROCESSORS_ONLN'))
`;

const EXPECTED: Record<string, string> = {
  'cpu time': 'unlimited unlimited',
  'core file size': '1 1',
  processes: '50 50',
  'locked memory': '65536 65536',
  'pending signals': '1024 1024',
  'msgqueue size': '0 0',
  'stack size': '8388608 8388608',
  '/proc': 'self thread-self',
  '/proc/1/status': 'ENOENT',
  '/proc/meminfo': 'ENOENT',
  '/proc/sys/kernel/pid_max': 'ENOENT',
  '/proc/net/tcp': 'ENOENT',
  '/sys/devices': 'ENOENT',
  '/dev/shm': 'ok',
  '/dev/tty': 'ok',
  mlock: 'ENOMEM',
  unshare: 'EPERM',
  mq_open: 'EMFILE',
  name_to_handle_at: 'EPERM',
  process_vm_readv: 'EPERM',
  netlink: 'EAFNOSUPPORT',
  timers: '1024',
  CPUs: '1',
};

test('limits, /proc and refused calls are as documented', async () => {
  const program = cmd(['/usr/bin/python3', 'probe.py'], { copyIn: { 'probe.py': { content: PROBE } } });
  const [result] = (await (await post(server.url, { cmd: [program] })).json()) as Answer[];
  expect(result).toMatchObject({ status: 'Accepted', files: { stderr: '' } });
  const seen = Object.fromEntries(
    result!.files.stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' = ')),
  );
  // Soft and hard stack limit are those of the server.
  const stack = /^Max stack size +(\w+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))![1]!;
  expect(seen).toMatchObject({ ...EXPECTED, 'stack size': `${stack} ${stack}` });
});

test('Java of the distribution compiles and runs', async () => {
  const source = 'class A { public static void main(String[] a) { System.out.println(41 + 1); } }';
  const program = cmd(['/bin/sh', '-c', 'javac A.java && java A'], {
    copyIn: { 'A.java': { content: source } },
    memoryLimit: 2 ** 29,
  });
  expect(await (await post(server.url, { cmd: [program] })).json()).toMatchObject([
    { status: 'Accepted', files: { stdout: '42\n', stderr: '' } },
  ]);
});

interface Answer {
  files: { stdout: string };
}
