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
