/** Filters of the caller's, on top of ours. */
import type { EngineOptions, SeccompPolicy } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { t, withEngine } from '../helpers/engine.js';

/** How calls are answered, by name. */
async function answers(
  seccomp: EngineOptions['seccomp'],
  calls: string[],
  strict = false,
): Promise<string[]> {
  return withEngine({ seccomp }, async (engine) => {
    const options = strict ? ({ seccomp: 'strict' } as const) : {};
    const result = await engine.run(t('try-syscalls'), calls, options);
    expect(result.status).toBe('ok');
    return result.stdout.text().trimEnd().split('\n');
  });
}

const denying = (names: string[], action: SeccompPolicy['defaultAction'] = 'errno'): SeccompPolicy => ({
  defaultAction: 'allow',
  rules: [{ names, action }],
});

describe('a filter of the caller’s', () => {
  it('refuses what it names, and nothing else', async () => {
    const calls = ['uname,0', 'getuid', 'sysinfo,0', 'getcpu,0,0,0'];
    expect(await answers(denying(['uname', 'sysinfo']), calls)).toEqual([
      'uname EPERM',
      'getuid OK',
      'sysinfo EPERM',
      'getcpu OK',
    ]);
  });

  it('looks at arguments, at all of them or at their low half', async () => {
    const seccomp: SeccompPolicy = {
      defaultAction: 'allow',
      rules: [
        { names: ['socket'], action: 'errno', args: [{ index: 0, op: 'eq', value: 2 }] },
        { names: ['socket'], action: 'errno', args: [{ index: 0, op: 'eq', value: 10, width: 32 }] },
      ],
    };
    const calls = [
      'socket,1,1,0',
      'socket,2,1,0',
      'socket,0x100000002,1,0',
      'socket,10,1,0',
      'socket,0x10000000a,1,0',
    ];
    expect(await answers(seccomp, calls)).toEqual(
      ['OK', 'EPERM', 'OK', 'EPERM', 'EPERM'].map((answer) => `socket ${answer}`),
    );
  });

  it('never gives back what ours refuses', async () => {
    const seccomp: SeccompPolicy = {
      defaultAction: 'allow',
      rules: [{ names: ['mount', 'ptrace', 'bpf', 'unshare', 'clone3', 'kexec_load'], action: 'allow' }],
    };
    const calls = ['mount', 'ptrace', 'bpf', 'unshare,0x10000000', 'clone3', 'kexec_load'];
    expect(await answers(seccomp, calls)).toEqual([
      'mount EPERM',
      'ptrace EPERM',
      'bpf EPERM',
      'unshare EPERM',
      'clone3 ENOSYS',
      'kexec_load EPERM',
    ]);
  });

  it('stands on the strict one where that is asked for, by the engine or by a run', async () => {
    const calls = ['flock,-1,0', 'uname,0'];
    expect(await answers({ ...denying(['uname']), base: 'strict' }, calls)).toEqual([
      'flock EPERM',
      'uname EPERM',
    ]);
    expect(await answers(denying(['uname']), calls, true)).toEqual(['flock EPERM', 'uname EPERM']);
    expect(await answers(denying(['uname']), calls)).toEqual(['flock EINVAL', 'uname EPERM']);
  });

  it('holds for everything that the program starts, and cannot be taken off', async () => {
    await withEngine({ seccomp: denying(['uname']) }, async (engine) => {
      const result = await engine.run('/bin/sh', ['-c', "sh -c 'uname -s; echo $?' 2>&1"]);
      expect(result.stdout.text()).toMatch(/cannot get system name.*\n1\n$/);
      await using sandbox = await engine.createSandbox();
      await using _other = await sandbox.spawn(t('sleep-ms'), ['60000']);
      expect((await sandbox.run(t('try-syscalls'), ['uname,0'])).stdout.text()).toBe('uname EPERM\n');
    });
  });

  it.each<[SeccompPolicy['defaultAction'], string, string | null]>([
    ['kill-process', 'forbidden-syscall', 'SIGSYS'],
    ['kill-thread', 'forbidden-syscall', 'SIGSYS'],
    ['trap', 'forbidden-syscall', 'SIGSYS'],
    ['trace', 'ok', null],
  ])('%s', async (action, status, exitSignal) => {
    await withEngine({ seccomp: denying(['uname'], action) }, async (engine) => {
      const result = await engine.run(t('try-syscalls'), ['uname,0']);
      expect([result.status, result.exitSignal]).toEqual([status, exitSignal]);
      if (action === 'trace') expect(result.stdout.text()).toBe('uname ENOSYS\n');
    });
  });

  it('may be a list of what is allowed', async () => {
    const names = [
      'execve',
      'write',
      'exit_group',
      'brk',
      'arch_prctl',
      'fstat',
      'newfstatat',
      'mmap',
      'mprotect',
      'munmap',
    ];
    const more = [
      'set_tid_address',
      'set_robust_list',
      'rseq',
      'prlimit64',
      'getrandom',
      'readlinkat',
      'readlink',
      'futex',
    ];
    const seccomp: SeccompPolicy = {
      defaultAction: 'kill-process',
      rules: [{ names: [...names, ...more], action: 'allow' }],
    };
    await withEngine({ seccomp }, async (engine) => {
      expect((await engine.run(t('true'))).status).toBe('ok');
      expect((await engine.run(t('try-syscalls'), ['getuid'])).status).toBe('forbidden-syscall');
      expect(await engine.run(t('no-such-program')).catch((error) => error.code)).toBe(
        'SBX_PROGRAM_NOT_FOUND',
      );
    });
  });

  it('one that lets nothing but exec through ends the program, and only the program', async () => {
    const seccomp: SeccompPolicy = {
      defaultAction: 'errno',
      rules: [{ names: ['execve'], action: 'allow' }],
    };
    await withEngine({ seccomp }, async (engine) => {
      await using sandbox = await engine.createSandbox();
      for (const file of [t('true'), '/bin/sh', t('no-such-program')]) {
        const outcome = await sandbox.run(file, [], { limits: { wallTimeMs: 2000 } }).then(
          ({ status }) => status,
          (error) => error.code,
        );
        expect(['signal', 'SBX_PROGRAM_NOT_FOUND', 'exit']).toContain(outcome);
      }
    });
  });

  it('looks for the program before it is loaded', async () => {
    const seccomp = denying(['faccessat', 'newfstatat', 'stat', 'access']);
    await withEngine({ seccomp }, async (engine) => {
      const result = await engine.run('true', [], { lookup: 'cwd-first', env: { PATH: '/nowhere:/t' } });
      expect(result.status).toBe('ok');
    });
  });
});

it('a filter that would keep every program from starting is refused', async () => {
  const opened = withEngine({ seccomp: { defaultAction: 'errno', rules: [] } }, async () => undefined);
  await expect(opened).rejects.toMatchObject({ field: 'options.seccomp', rule: 'conflict' });
});
