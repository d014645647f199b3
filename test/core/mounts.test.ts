/** Mount tables beyond the default one: what can be asked for is there, what cannot is refused by name. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_MOUNTS, type Engine, type EngineOptions, type MountRow } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KiB, MiB, t, withEngine } from '../helpers/engine.js';

/** What a shell prints, both streams. */
async function sh(engine: Engine, script: string, network: false | 'loopback' = false): Promise<string> {
  const result = await engine.run('/bin/sh', ['-c', script], { stderr: 'stdout', network });
  return result.stdout.text();
}

function withRows<T>(
  rows: MountRow[],
  use: (engine: Engine) => Promise<T>,
  options: EngineOptions = {},
): Promise<T> {
  return withEngine({ ...options, mounts: [...DEFAULT_MOUNTS, ...rows] }, use);
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mounts-test-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'sub/deep'), { recursive: true });
  for (const name of ['open', 'hidden', 'sub/file']) writeFileSync(join(folder, name), `content of ${name}`);
  symlinkSync('hidden', join(folder, 'link'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('devices', () => {
  it('rows for those that are there anyway change nothing', async () => {
    const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map(
      (name): MountRow => ({
        kind: 'bind',
        source: `/dev/${name}`,
        writable: true,
      }),
    );
    const links: MountRow[] = [
      { kind: 'symlink', target: '/dev/fd', to: '/proc/self/fd' },
      { kind: 'symlink', target: '/dev/stdin', to: '/proc/self/fd/0' },
      { kind: 'symlink', target: '/dev/mine', to: 'null' },
    ];
    await withRows([...devices, ...links], async (engine) => {
      const script = `echo x > /dev/null && head -c 3 /dev/zero | od -An -tx1 && head -c 1 /dev/urandom | wc -c
        echo x > /dev/mine; readlink /dev/mine /dev/fd; echo in | cat /dev/stdin`;
      expect(await sh(engine, script)).toBe(' 00 00 00\n1\nnull\n/proc/self/fd\nin\n');
    });
  });

  it('no other device can be given', async () => {
    const row: MountRow = { kind: 'bind', source: '/dev/null', target: '/dev/other' };
    await expect(withRows([row], async () => undefined)).rejects.toMatchObject({
      code: 'SBX_INVALID_OPTIONS',
      field: `options.mounts[${DEFAULT_MOUNTS.length}].source`,
      hint: expect.stringContaining('/dev/null, /dev/zero'),
    });
  });
});

describe('a folder of the host', () => {
  /** Mount points below a pattern with their flags, as the program sees them. */
  const flags = (places: string) =>
    `cut -d' ' -f 5,6 /proc/self/mountinfo | grep -E '^/(${places})' | sed 's/,[a-z]*atime//'`;

  it('is no more than its row says, and so is what is mounted below it, with a recursive row alone', async () => {
    const below = join(folder, 'sub/deep');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', below]);
    try {
      const bind = { kind: 'bind', source: folder } as const;
      const rows: MountRow[] = [
        { ...bind, target: '/flat' },
        { ...bind, target: '/whole', recursive: true },
        { ...bind, target: '/data', recursive: true, executable: false },
        { ...bind, target: '/open', recursive: true, writable: true },
        { kind: 'tmpfs', target: '/own' },
      ];
      await withRows(rows, async (engine) => {
        const said = await sh(engine, flags('flat|whole|data|open|own'));
        expect(said.trim().split('\n').sort()).toEqual([
          '/data ro,nosuid,nodev,noexec',
          '/data/sub/deep ro,nosuid,nodev,noexec',
          '/flat ro,nosuid,nodev',
          '/open rw,nosuid,nodev',
          '/open/sub/deep rw,nosuid,nodev',
          '/own rw,nosuid,nodev',
          '/whole ro,nosuid,nodev',
          '/whole/sub/deep ro,nosuid,nodev',
        ]);
      });
    } finally {
      execFileSync('umount', [below]);
    }
  });
});

describe('the sandbox’s own folders with bounds of their own', () => {
  const rows: MountRow[] = [
    { kind: 'tmpfs', target: '/w', sizeBytes: 64 * KiB, inodeCount: 8 },
    { kind: 'tmpfs', target: '/tmp', sizeBytes: 128 * KiB, inodeCount: 16, mode: 0o700 },
    { kind: 'tmpfs', target: '/dev/shm', sizeBytes: 32 * KiB },
    { kind: 'tmpfs', target: '/cache', sizeBytes: 16 * KiB, mode: 0o1755 },
  ];
  const list = 'stat -f -c "%n %b %c" -- /w /tmp /dev/shm /cache; stat -c "%n %a %u" /w /tmp /dev/shm /cache';

  it('are as large as their rows say, whatever a run asks for', async () => {
    await withRows(rows, async (engine) => {
      const { stdout } = await engine.run('/bin/sh', ['-c', list], { limits: { diskBytes: 64 * MiB } });
      expect(stdout.text().split('\n')).toEqual([
        '/w 16 8',
        '/tmp 32 16',
        '/dev/shm 8 16384',
        '/cache 4 16384',
        '/w 755 1000',
        '/tmp 700 1000',
        '/dev/shm 1777 1000',
        '/cache 1755 1000',
        '',
      ]);
    });
  });

  it('work as ever: files in and out, and a bound that holds', async () => {
    await withRows(rows, async (engine) => {
      const script = 'cat in > out; head -c 100000 /dev/zero > big; wc -c < big';
      const result = await engine.run('/bin/sh', ['-c', script], { files: { in: 'x' }, copyOut: ['out'] });
      expect(result.files.out?.text()).toBe('x');
      expect(Number(result.stdout.text())).toBeLessThan(64 * KiB);
      expect(result.stderr.text()).toContain('No space left');
      expect(await sh(engine, 'ls -A /w /tmp')).toBe('/tmp:\n\n/w:\n');
    });
  });

  it('a work folder elsewhere has them too', async () => {
    const own: MountRow[] = [{ kind: 'tmpfs', target: '/home/me', sizeBytes: 64 * KiB, inodeCount: 8 }];
    const use = async (engine: Engine) =>
      expect(await sh(engine, 'pwd; stat -f -c %b .')).toBe('/home/me\n16\n');
    await withRows(own, use, { workDir: '/home/me' });
  });
});

describe('masked paths', () => {
  const bind = (): MountRow => ({ kind: 'bind', source: folder, target: '/data', writable: true });

  it('files read as nothing, folders are empty, neither can be written or uncovered', async () => {
    const maskPaths = [
      '/data/link',
      '/data/sub',
      '/data/none',
      '/usr/share/doc',
      '/proc/kcore',
      '/etc/passwd',
    ];
    await withRows(
      [bind()],
      async (engine) => {
        const script = `cat /data/open; echo; cat /data/hidden /data/link /etc/passwd; ls -A /data/sub /usr/share/doc
          touch /data/sub/x; mkdir /data/sub/y; umount /data/sub; rm /data/hidden; mv /data/sub /data/z; ls /data/none`;
        const text = await sh(engine, script);
        expect(text).toMatch(/^content of open\n\/data\/sub:\n\n\/usr\/share\/doc:\n/);
        expect(text).not.toMatch(/content of (hidden|sub)/);
        expect(text).toMatch(/touch: .*Read-only file system/);
        expect(text).toMatch(/mkdir: .*Read-only file system/);
        expect(text).toMatch(/rm: .*/);
        expect(text).toMatch(/mv: .*/);
        expect(text).toMatch(/none': No such file/);
      },
      { maskPaths },
    );
  });

  it('stay covered when the host puts something else there', async () => {
    const at = mkdtempSync(join(tmpdir(), 'mounts-test-'));
    chmodSync(at, 0o755);
    const fill = () => {
      mkdirSync(join(at, 'sub.new'));
      for (const name of ['sub.new/file', 'hidden.new']) writeFileSync(join(at, name), 'secret');
    };
    const replace = () => {
      rmSync(join(at, 'sub'), { recursive: true });
      for (const name of ['sub', 'hidden']) renameSync(join(at, `${name}.new`), join(at, name));
      fill();
    };
    mkdirSync(join(at, 'sub'));
    fill();
    replace();
    const row: MountRow = { kind: 'bind', source: at, target: '/data' };
    const look = ['-c', 'cat /data/hidden; ls -A /data/sub; cat /data/sub/file; test -e /data/hidden'];
    await withRows(
      [row],
      async (engine) => {
        await using session = await engine.createSandbox();
        expect((await session.run('/bin/sh', look)).stdout.text()).toBe('');
        const ends: string[] = [];
        for (let round = 0; round < 8; round += 1) {
          if (round % 4 === 0) replace();
          const end = await engine.run('/bin/sh', look).then(
            ({ status, stdout }) => `${status} ${stdout.text()}`,
            ({ code, retryable, stage }) => `${code} ${retryable} ${stage}`,
          );
          ends.push(end);
        }
        // One that stood ready is refused, those that are made after it are covered.
        for (const end of ends) expect(['ok ', 'SBX_SANDBOX_LOST true mask']).toContain(end);
        expect(ends.filter((end) => end === 'ok ').length).toBeGreaterThanOrEqual(2);
        await expect(session.run('/bin/sh', look)).rejects.toMatchObject({ stage: 'mask' });
      },
      { maskPaths: ['/data/hidden', '/data/sub'], parallelism: 1 },
    );
    rmSync(at, { recursive: true });
  });

  it('on the host nothing has changed', async () => {
    await withRows([bind()], (engine) => sh(engine, 'cat /data/hidden; echo x > /data/sub/x'), {
      maskPaths: ['/data/hidden', '/data/sub'],
    });
    expect(rmSync(join(folder, 'sub/file'))).toBeUndefined();
    writeFileSync(join(folder, 'sub/file'), 'content of sub/file');
  });
});

describe('/proc', () => {
  const see = 'ls /proc | head -1; cat /proc/self/comm; echo 500 > /proc/self/oom_score_adj && echo written';

  it('is there to read by default', async () => {
    await withEngine({}, async (engine) => {
      expect(await sh(engine, see)).toMatch(/^\d+\ncat\n.*Read-only file system\n$/);
    });
  });

  it('is an empty folder when it is switched off', async () => {
    await withEngine({ proc: 'none' }, async (engine) => {
      expect(await sh(engine, 'ls -A /proc; echo end')).toBe('end\n');
      expect((await engine.run(t('true'))).status).toBe('ok');
      await using sandbox = await engine.createSandbox();
      expect((await sandbox.run('/bin/echo', ['x'], { pty: {} })).stdout.text()).toBe('x\r\n');
    });
  });

  it('can be written where a process may, and shows processes alone even then', async () => {
    await withEngine({ proc: 'writable', insideUid: 0 }, async (engine) => {
      expect(await sh(engine, see)).toMatch(/^\d+\ncat\nwritten\n$/);
      const script =
        'ls /proc | grep -v "^[0-9]"; echo 1 > /proc/1/oom_score_adj; echo x > /proc/sys/kernel/hostname';
      const text = await sh(engine, script);
      expect(text).toMatch(/^self\nthread-self\n/);
      expect(text).not.toContain('written');
      expect(text.match(/cannot create/g)).toHaveLength(2);
    });
  });

  it.each<EngineOptions>([{}, { insideUid: 0 }, { proc: 'writable', insideUid: 0 }])(
    'tells nothing of the network, which would be of the machine: %o',
    async (options) => {
      await withEngine(options, async (engine) => {
        const ofMachine =
          'cd /proc/self/net && chmod 777 * 2>&-; cat softnet_stat sockstat protocols rt_acct; ls stat';
        for (const network of [false, 'loopback'] as const) {
          const text = await sh(engine, ofMachine, network);
          expect(text.match(/Permission denied/g)).toHaveLength(5);
          expect(text.replace(/.*Permission denied\n/g, '')).toBe('');
        }
        expect(await sh(engine, 'cat /proc/self/net/* 2>&-')).toBe(''); // of the sandbox before
      });
    },
  );

  it('holds no message for the next sandbox of a slot', async () => {
    await withEngine({ proc: 'writable', parallelism: 1, readyCount: 0, maxSandboxes: 1 }, async (engine) => {
      const maps =
        'cd /proc/self; for map in uid_map gid_map projid_map; do echo 7 1234 1 > $map; done; cat *_map';
      const texts = [await sh(engine, maps), await sh(engine, maps)];
      expect(texts[1]).toBe(texts[0]);
      expect(texts[0]).not.toMatch(/\b1234\b/); // users of the machine may have numbers that hold it
    });
  });
});

describe('rows that could not take effect are refused', () => {
  it.each<[string, EngineOptions]>([
    ['.mounts[0].target', { mounts: [{ kind: 'bind', source: '/usr', target: '/proc/x' }] }],
    ['.mounts[0].target', { mounts: [{ kind: 'bind', source: '/usr', target: '/w' }] }],
    ['.maskPaths[0]', { maskPaths: ['/w/x'] }],
  ])('%s', async (field, options) => {
    await expect(withEngine(options, async () => undefined)).rejects.toMatchObject({
      field: `options${field}`,
    });
  });
});
