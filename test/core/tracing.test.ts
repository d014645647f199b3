/** `allowSyscalls: ['ptrace']`: what a leak checker needs works, and nothing beyond. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_MOUNTS } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { t, useEngine, withEngine } from '../helpers/engine.js';
import { descendants, processesOfUids } from '../helpers/proc.mjs';

const LEAKY = `
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  char *volatile kept = malloc(10);
  puts("done");
  if (argc > 1) kept = NULL;
  free(kept);
  return 0;
}`;

const folder = mkdtempSync(join(tmpdir(), 'tracing-test-'));
const mounts = [...DEFAULT_MOUNTS, { kind: 'bind', source: folder, target: '/a' } as const];
const sbx = useEngine({ mounts, allowSyscalls: ['ptrace'] });

beforeAll(() => {
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'leaky.c'), LEAKY);
  execFileSync('gcc', ['-O0', '-fsanitize=address', '-o', join(folder, 'leaky'), join(folder, 'leaky.c')]);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

describe('a program built with -fsanitize=address', () => {
  it('ends well when it leaks nothing, and is told what it leaks', async () => {
    const clean = await sbx.engine.run('/a/leaky');
    expect([clean.status, clean.stdout.text(), clean.stderr.text()]).toEqual(['ok', 'done\n', '']);
    const leak = await sbx.engine.run('/a/leaky', ['1']);
    expect([leak.status, leak.exitCode]).toEqual(['exit', 1]);
    expect(leak.stderr.text()).toContain('Direct leak of 10 byte(s)');
  });

  it('cannot look for leaks where ptrace is refused: by default, and in strict sandboxes', async () => {
    const strict = await sbx.engine.run('/a/leaky', [], { seccomp: 'strict' });
    const other = await withEngine({ mounts }, (engine) => engine.run('/a/leaky'));
    for (const { status, stderr } of [strict, other]) {
      expect(status).toBe('exit');
      expect(stderr.text()).toContain('LeakSanitizer has encountered a fatal error');
    }
  });
});

describe('tracing', () => {
  it('init is undumpable from before its first program on: what the host shows of it is root’s', async () => {
    await using _sandbox = await sbx.engine.createSandbox();
    const rows = processesOfUids(sbx.engine.info().user.uidBase);
    const waiting = rows.filter(({ name }) => name === 'sbx-preforked');
    expect(waiting).not.toEqual([]);
    for (const { pid, parent } of waiting)
      expect([pid, parent].map((id) => statSync(`/proc/${id}/environ`).uid)).toEqual([0, 0]);
  });

  it('the helper runs from memory that nobody can write to, seals included', () => {
    const zygote = descendants().find(({ name }) => name === 'sbx-zygote')!;
    const seals = 'import fcntl, sys; print(fcntl.fcntl(open(sys.argv[1]), fcntl.F_GET_SEALS))';
    const told = execFileSync('python3', ['-c', seals, `/proc/${zygote.pid}/exe`]);
    expect(String(told)).toBe('15\n'); // no more seals, shrinking, growing, writing
  });

  it('is never of init, and only what a leak checker asks', async () => {
    const { ATTACH, SEIZE, ...others } = {
      TRACEME: 0,
      PEEKDATA: 2,
      POKEDATA: 5,
      POKEUSER: 6,
      SINGLESTEP: 9,
      SETREGS: 13,
      SYSCALL: 24,
      SETREGSET: 0x4205,
      ATTACH: 16,
      SEIZE: 0x4206,
    };
    const calls = [
      `ptrace,${ATTACH},1,0,0`,
      `ptrace,${ATTACH},0x100000001,0,0`,
      `ptrace,${SEIZE},1,0,0`,
      ...Object.values(others).map((request) => `ptrace,${request},2,0,0`),
    ];
    const { stdout } = await sbx.engine.run(t('try-syscalls'), [...calls, 'ptrace,17,2,0,0']);
    const refused = calls.map(() => 'ptrace EPERM\n').join('');
    // DETACH reaches the kernel: nobody traces that process.
    expect(stdout.text()).toBe(`${refused}ptrace ESRCH\n`);
  });

  it.each(['hold', 'stop'])(
    'a main process that its child keeps ends at the wall limit (%s)',
    async (how) => {
      const limits = { wallTimeMs: 300 };
      const { status, stdout, usage } = await sbx.engine.run(t('trace'), [how], { limits });
      expect([status, stdout.text()]).toEqual(['wall-limit', 'attached\n']);
      expect(usage.wallTimeMs).toBeLessThan(400);
    },
  );
});
