/** The world that an engine's programs find themselves in, where its options make it another than usual. */
import type { Engine, OneShotOptions } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { t, useEngine, withEngine } from '../helpers/engine.js';
import { processesOfUids } from '../helpers/proc.js';

async function lines(
  engine: Engine,
  program: string,
  args: string[] = [],
  options?: OneShotOptions,
): Promise<string[]> {
  const result = await engine.run(program.includes('/') ? program : t(program), args, options);
  expect({ status: result.status, stderr: result.stderr.text() }).toEqual({ status: 'ok', stderr: '' });
  return result.stdout.text().trimEnd().split('\n');
}

/** `key value` lines as a record. */
function record(rows: readonly string[]): Record<string, string> {
  return Object.fromEntries(rows.map((row) => [row.replace(/ .*/, ''), row.replace(/^\S* ?/, '')]));
}

const NO_CAPABILITIES = Object.fromEntries(
  ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => [name, '0000000000000000']),
);

describe('insideUid 0: a root that is none', () => {
  const sbx = useEngine({ insideUid: 0 });

  it('is user and group 0 to itself, and owns its folders', async () => {
    const posture = record(await lines(sbx.engine, 'posture'));
    expect(posture).toMatchObject({ uids: '0 0 0', gids: '0 0 0', groups: '0' });
    const script =
      'touch /w/f /tmp/f /dev/shm/f && stat -c %u:%g /w /w/f /tmp/f /dev/shm/f && whoami && echo ~';
    expect(await lines(sbx.engine, '/bin/sh', ['-c', script])).toEqual([
      ...Array(4).fill('0:0'),
      'root',
      '/w',
    ]);
  });

  it('has no capability, before and after exec, with set-user-id or without, and cannot get one', async () => {
    const script = 'cp /t/posture p && chmod 6755 p && ./p && exec ./p';
    const result = await sbx.engine.run('/bin/sh', ['-c', script]);
    const [first, second] = result.stdout.text().split(/^(?=hostname)/m);
    for (const text of [first!, second!]) {
      expect(record(text.trimEnd().split('\n'))).toMatchObject({
        ...NO_CAPABILITIES,
        NoNewPrivs: '1',
        uids: '0 0 0',
      });
    }
  });

  it('files copied in are its own, and what it leaves comes out', async () => {
    const script = 'stat -c %u in && cat in > out && chmod 600 out';
    const result = await sbx.engine.run('/bin/sh', ['-c', script], {
      files: { in: 'through' },
      copyOut: ['out'],
    });
    expect([result.stdout.text(), result.files.out?.text()]).toEqual(['0\n', 'through']);
  });

  it('cannot do what root can: other users, foreign owners, devices, mounts, roots, priorities', async () => {
    const calls = [
      'setuid,1000',
      'setresuid,1,1,1',
      'setresuid,-1,1,-1',
      'setgroups,1,0',
      'chroot,0',
      'mount,0,0,0,0,0',
      'sethostname,0,0',
      'setpriority,0,0,-20',
      'capset,0,0',
      'prctl,28,0', // PR_SET_SECUREBITS
      'prctl,47,2,0,0,0', // PR_CAP_AMBIENT_RAISE CAP_CHOWN
      'kill,1,9',
      'kill,1,0',
    ];
    const answers = await lines(sbx.engine, 'try-syscalls', calls);
    for (const [index, call] of calls.entries()) {
      // setresuid to 1, init's id, must fail above all. An id that is not mapped at all is EINVAL.
      expect(`${call}: ${answers[index]}`).toMatch(/ (EPERM|EACCES|EINVAL|EFAULT)$/);
    }
    expect(answers.slice(-2)).toEqual(['kill EPERM', 'kill EPERM']);
    expect(answers[1]).toBe('setresuid EPERM');
    const script = 'touch f; chown 1:1 f; mknod n c 1 3; mknod b b 8 0; chmod u+s f; ls -l f | cut -c1-4; ls';
    const result = await sbx.engine.run('/bin/sh', ['-c', script]);
    expect(result.stdout.text()).toBe('-rwS\nf\n');
  });

  it('reads and writes nothing of the host’s root', async () => {
    const script =
      'for f in /etc/shadow /usr/bin/env /etc/passwd /proc/1/environ /proc/1/mem /proc/sys/kernel/hostname; do' +
      ' [ -w $f ] && echo writable $f; (echo x >> $f) 2>/dev/null && echo written $f; done; true';
    const result = await sbx.engine.run('/bin/sh', ['-c', script]);
    expect(result.stdout.text()).toBe('');
  });

  it('has a host id of its own, which is not init’s and not the host’s root', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using _sleeper = await sandbox.spawn(t('sleep-ms'), ['60000']);
    const { uidBase } = sbx.engine.info().user;
    const rows = processesOfUids(uidBase);
    const sleeper = rows.find((row) => row.name === 'sleep-ms')!;
    const init = rows.find((row) => row.name === 'sbx-init')!;
    expect(sleeper.uid).toBeGreaterThan(uidBase!);
    expect(rows.filter((row) => row.uid === sleeper.uid && row.name.startsWith('sbx-'))).toEqual([]);
    expect(init.uid).toBeGreaterThanOrEqual(uidBase!);
  });

  it('no signal of it harms init or the sandbox beside it', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const attack = await sandbox.run(t('kill-around'));
    expect([attack.status, attack.stdout.text()]).toEqual(['ok', 'alive\n']);
    expect((await sandbox.run(t('true'))).status).toBe('ok');
  });
});

describe('signals that programs start with ignored', () => {
  const sbx = useEngine({ ignoredSignals: ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGSYS'] });

  it('are, also by what it starts, and no others', async () => {
    const script = `grep SigIgn /proc/self/status; kill -TERM $$; /bin/sh -c 'kill -INT $$; echo alive'; kill -USR1 $$`;
    const result = await sbx.engine.run('/bin/sh', ['-c', script]);
    expect([result.exitSignal, result.stdout.text()]).toEqual([
      'SIGUSR1',
      'SigIgn:\t0000000040004003\nalive\n',
    ]);
  });

  it('so do those on a terminal, which its interrupt character then does not end', async () => {
    const pty = { input: { text: '\x03x\n' } };
    const result = await sbx.engine.run('/bin/sh', ['-c', 'read line; echo alive'], { pty });
    expect([result.status, result.stdout.text().endsWith('alive\r\n')]).toEqual(['ok', true]);
  });
});

describe('umask, names and signals to init', () => {
  const sbx = useEngine({
    umask: 0,
    hostname: 'executor_server',
    domainname: 'executor_server',
    signalsToInit: 'ignore',
  });

  it('the umask is the programs’', async () => {
    const script = 'umask; touch f; mkdir d; stat -c %a f d';
    expect(await lines(sbx.engine, '/bin/sh', ['-c', script])).toEqual(['0000', '666', '777']);
  });

  it('and that of folders on the way to what is copied in', async () => {
    const files = { 'd/e/f': '', '/tmp/d/f': { text: '', mode: 0o600 } };
    const script = 'stat -c %a d d/e d/e/f /tmp/d /tmp/d/f';
    expect(await lines(sbx.engine, '/bin/sh', ['-c', script], { files })).toEqual([
      ...['777', '777', '644'],
      ...['777', '600'],
    ]);
    await withEngine({}, async (engine) => {
      expect(await lines(engine, '/bin/sh', ['-c', 'stat -c %a d d/e'], { files })).toEqual(['755', '755']);
    });
  });

  it('the names are as given', async () => {
    expect(record(await lines(sbx.engine, 'posture'))).toMatchObject({
      hostname: 'executor_server',
      domainname: 'executor_server',
    });
  });

  const toInit = [
    'kill,1,9',
    'kill,1,15',
    'kill,0x100000001,9', // the kernel looks at the low half alone
    'tkill,1,9',
    'tgkill,1,1,9',
    'rt_sigqueueinfo,1,9,0',
    'rt_tgsigqueueinfo,1,1,9,0',
  ];

  it('signals to init succeed, and it lives', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const tried = await sandbox.run(t('try-syscalls'), toInit);
    for (const answer of tried.stdout.text().trimEnd().split('\n')) expect(answer).toMatch(/ OK$/);
    expect((await sandbox.run('/bin/bash', ['-c', 'kill -SIGINT 1 && kill -9 1'])).status).toBe('ok');
    expect((await sandbox.run(t('kill-around'))).stdout.text()).toBe('alive\n');
    expect((await sandbox.run(t('true'))).status).toBe('ok');
  });

  it('also with the filter set to kill: ignoring is no refusal', async () => {
    expect(await lines(sbx.engine, 'try-syscalls', ['kill,1,9'], { seccompAction: 'kill' })).toEqual([
      'kill OK',
    ]);
  });

  it('signals to others arrive, and to nobody fail as ever', async () => {
    const script =
      'sleep 60 & kill $! && wait $!; echo $?; kill -9 4194303 2>/dev/null; echo $?; kill $$; echo not';
    const result = await sbx.engine.run('/bin/sh', ['-c', script]);
    expect([result.stdout.text(), result.exitSignal]).toEqual(['143\n1\n', 'SIGTERM']);
    expect(await lines(sbx.engine, 'try-syscalls', ['kill,0x80000001,9', 'kill,-1,0'])).toEqual([
      'kill ESRCH',
      'kill ESRCH',
    ]);
  });
});

it('by default signals to init fail', async () => {
  await withEngine({}, async (engine) => {
    const calls = ['kill,1,9', 'tkill,1,9', 'tgkill,1,1,9', 'rt_sigqueueinfo,1,9,0'];
    const answers = await lines(engine, 'try-syscalls', calls);
    for (const answer of answers) expect(answer).toMatch(/ (EPERM|EFAULT)$/);
  });
});
