/**
 * Memory that the kernel takes on a program's behalf without charging it to the program's cgroup by itself.
 */
import { describe, expect, it } from 'vitest';
import { MiB, t, useEngine } from '../helpers/engine.js';

const sbx = useEngine();

describe('what waits in sockets', () => {
  const memoryBytes = 24 * MiB;
  // Pairs that would hold ten times as much each, with the kernel's own defaults: 208 KiB a UDP socket, 4 MiB
  // a TCP one.
  const fills: [kind: string, count: number][] = [
    ['tcp', 60],
    ['udp', 120],
  ];

  it.each(fills)('%s: no more than the memory limit', async (kind, count) => {
    const { status, stdout, stderr } = await sbx.engine.run(t('fill-sockets'), [kind, `${count}`], {
      network: 'loopback',
      limits: { memoryBytes },
    });
    expect(stderr.text()).toBe('');
    if (status === 'memory-limit') return; // v2 counts them with the rest
    expect(status).toBe('ok');
    expect(Number(stdout.text())).toBeGreaterThan(MiB);
    // The kernel charges whole batches per socket.
    expect(Number(stdout.text())).toBeLessThan(memoryBytes * 1.25);
  });
});

describe('what no cgroup counts', () => {
  const limits = { memoryBytes: 24 * MiB, wallTimeMs: 30_000, cpuTimeMs: 20_000, openFileCount: 2000 };
  const network = 'loopback';
  // Some 90 MiB each, if nobody looked.
  const holders: [what: string, program: string, args: string[]][] = [
    ['record locks', 'hold-locks', ['200', '2000']],
    ['record locks of several processes', 'hold-locks', ['50', '2000', 'children']],
    ['record locks behind an ended main thread', 'hold-locks', ['200', '2000', 'ended']],
    ['connections that nobody accepts', 'leave-waiting', ['24000', '0']],
    ['what was sent to connections that nobody accepts', 'leave-waiting', ['2000', '60000']],
    ['datagrams that are being put together', 'leave-waiting', ['1500', '60000', 'datagrams']],
  ];

  it.each(holders)('%s: no more than the memory limit', async (_what, program, args) => {
    const { status, evidence, usage } = await sbx.engine.run(t(program), args, { network, limits });
    expect([status, evidence]).toEqual(['memory-limit', 'memory-limit/record']);
    expect(usage.memoryPeakBytes).toBeGreaterThan(limits.memoryBytes);
    expect(usage.cpuTimeMs).toBeGreaterThan(0);
  });

  // A text of megabytes for each descriptor: it took the host longer to read them than programs have.
  it('record locks, whatever else is to be read about the program', async () => {
    const patient = { ...limits, wallTimeMs: 60_000, cpuTimeMs: 50_000 };
    const { status, evidence, usage } = await sbx.engine.run(t('hold-locks'), ['200', '2000', 'watched'], {
      limits: patient,
    });
    expect([status, evidence]).toEqual(['memory-limit', 'memory-limit/record']);
    expect(usage.memoryPeakBytes).toBeLessThan(4 * limits.memoryBytes);
  });

  // Whoever closes such a file, on the whole machine, goes through its locks.
  it.each([
    ['a file of the host', 'shared'],
    ['what all files without an inode have in common', 'anonymous'],
  ])('locks of %s: no more than others can bear', async (_what, how) => {
    const { status, stdout } = await sbx.engine.run(t('hold-locks'), ['1', '1000000', how], { limits });
    expect([status, stdout.text()]).toEqual(['memory-limit', '']);
  });

  it('others are left alone, and those that hold less', async () => {
    const patient = { ...limits, wallTimeMs: 3000, memoryBytes: 64 * MiB };
    const [holder, few] = await Promise.all([
      sbx.engine.run(t('hold-locks'), ['200', '2000'], { limits }),
      sbx.engine.run(t('hold-locks'), ['20', '1000'], { limits: patient }),
    ]);
    expect([holder.status, few.status]).toEqual(['memory-limit', 'wall-limit']);
    expect(few.stdout.text()).toBe('20000\n');
  });

  it('locks of open files, which could wait in a socket uncounted, are refused as by a kernel without', async () => {
    const code = 'import fcntl, struct; fcntl.fcntl(open("x", "w"), 37, struct.pack("hhqqi", 1, 0, 0, 1, 0))';
    const { stderr } = await sbx.engine.run('/usr/bin/python3', ['-c', code]);
    expect(stderr.text()).toContain('[Errno 22] Invalid argument');
  });
});
