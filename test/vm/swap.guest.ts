// On a machine with swap, which only the guest gets: memory that a program swaps out itself counts.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MiB, t, withEngine } from '../helpers/engine.js';

const folder = '/mnt';
let device = '';

beforeAll(() => {
  const script = `modprobe loop
    mount -t tmpfs -o size=400m none ${folder}
    dd if=/dev/zero of=${folder}/swap bs=1M count=300 status=none
    device=$(losetup -f --show ${folder}/swap); mkswap -q "$device" >/dev/null; swapon "$device"; echo "$device"`;
  device = execFileSync('bash', ['-ec', script], { encoding: 'utf8' }).trim();
});
afterAll(() => {
  execFileSync('bash', ['-ec', `swapoff ${device}; losetup -d ${device}; umount ${folder}`]);
});

it('without a cgroup', async () => {
  await withEngine({ require: [], cgroup: 'none' }, async (engine) => {
    const limits = { memoryBytes: 64 * MiB, wallTimeMs: 60_000, cpuTimeMs: 60_000 };
    const { evidence } = await engine.run(t('hold-memory'), ['swapped', `${200 * MiB}`, '1500'], { limits });
    expect(evidence).toBe('memory-limit/record');
  });
}, 120_000);
