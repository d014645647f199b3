// Start, options, shutdown, and the command.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGojudgeServer, type GojudgeServerOptions } from '@sbx/gojudge-server';
import { afterAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, settledFootprint } from '../helpers/leaks.js';
import { descendants } from '../helpers/proc.mjs';
import { runningPrograms } from '../helpers/running.js';
import { cmd, post } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-gojudge-life-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function withServer<T>(
  options: GojudgeServerOptions,
  use: (url: string, close: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const before = await settledFootprint();
  const server = await createGojudgeServer({ httpAddr: '127.0.0.1:0', parallelism: 2, ...options });
  const info = server.engine.info();
  try {
    const { urls } = await server.listen();
    return await use(urls[0]!, () => server.close());
  } finally {
    await server.close();
    await expectNothingLeft(before, info);
  }
}

describe('shutdown', () => {
  test('waits for what runs', async () => {
    await withServer({}, async (url, close) => {
      const answer = post(url, { cmd: [cmd(['/bin/sleep', '0.5'])] });
      await runningPrograms('sleep');
      await close();
      expect(await (await answer).text()).toContain('"status":"Accepted"');
    });
  });

  test('waits until a client that takes its time has a large answer', async () => {
    const large = { files: [{ content: '' }, { name: 'stdout', max: 2 ** 25 }, { name: 'stderr', max: 1 }] };
    await withServer({}, async (url, close) => {
      const program = cmd(['/bin/sh', '-c', 'yes 0123456789abcde | head -c 16777216'], large);
      const text = JSON.stringify({ cmd: [program] });
      const client = request(`${url}/run`, { method: 'POST', agent: false }).end(text);
      const [answer] = (await once(client, 'response')) as [IncomingMessage];
      const closing = close();
      let json = '';
      for await (const chunk of answer.setEncoding('utf8')) {
        json += chunk;
        await sleep(5);
      }
      expect(JSON.parse(json)[0].files.stdout.length).toBe(16_777_216);
      await closing;
    });
  });

  test('kills what runs for too long', async () => {
    await withServer({ shutdownMs: 200 }, async (url, close) => {
      const answer = post(url, { cmd: [cmd(['/bin/sleep', '9'])] }).catch(() => null);
      await runningPrograms('sleep');
      const startedAt = performance.now();
      await close();
      expect(performance.now() - startedAt).toBeLessThan(2000);
      await answer;
    });
  });
});

describe('options', () => {
  test('so many run at once as parallelism says, however few CPUs there are', async () => {
    const parallelism = availableParallelism() + 2;
    await withServer({ parallelism }, async (url) => {
      const living = () => descendants(process.pid).filter(({ name }) => name === 'sleep').length;
      const runs = Array.from({ length: parallelism + 1 }, () => {
        const stop = new AbortController();
        const answer = post(url, { cmd: [cmd(['/bin/sleep', '9'])] }, { signal: stop.signal });
        return { stop, answer: answer.catch(() => null) };
      });
      await expect.poll(living, { timeout: 5000 }).toBe(parallelism);
      for (const { stop } of runs) stop.abort();
      await Promise.all(runs.map(({ answer }) => answer));
      await expect.poll(living, { timeout: 2000 }).toBe(0);
    });
  });

  test('a token is asked for everywhere but at /version and /config', async () => {
    await withServer({ authToken: 's3cret' }, async (url) => {
      const status = async (path: string, authorization?: string) => {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        const response = await fetch(url + path, { headers });
        return [response.status, path === '/file' ? await response.text() : ''];
      };
      expect(await status('/version')).toEqual([200, '']);
      expect(await status('/config')).toEqual([200, '']);
      expect(await status('/file')).toEqual([401, '']);
      expect(await status('/nothing')).toEqual([401, '']);
      expect(await status('/file', 'bearer s3cret')).toEqual([401, '']);
      expect(await status('/file', 'Bearer s3cret ')).toEqual([200, '{}']); // HTTP cuts blanks at the end
      expect(await status('/file', 'Bearer s3cret')).toEqual([200, '{}']);
    });
  });

  test('src stays below its prefixes', async () => {
    writeFileSync(join(folder, 'inside'), 'x');
    symlinkSync('/etc/passwd', join(folder, 'link'));
    await withServer({ srcPrefix: [folder] }, async (url) => {
      const ask = async (src: string) => {
        const response = await post(url, { cmd: [cmd(['/bin/cat', 'a'], { copyIn: { a: { src } } })] });
        return [response.status, (await response.json()) as unknown];
      };
      expect((await ask(join(folder, 'inside')))[0]).toBe(200);
      for (const path of ['/etc/passwd', join(folder, 'link'), `${folder}/../x`, ''])
        expect((await ask(path))[0], path).toBe(400);
      expect(await ask('/etc/passwd')).toEqual([400, `file (/etc/passwd) does not under ([${folder}])`]);
      // With the step that is not there, as Go has it.
      expect(await ask('/no/such')).toEqual([400, 'lstat /no: no such file or directory']);
    });
  });

  test('a pipe of the host that gives nothing holds no worker for longer than the client waits', async () => {
    const pipe = join(folder, 'silent');
    execFileSync('mkfifo', [pipe]);
    const writer = openSync(pipe, constants.O_RDWR);
    try {
      await withServer({ srcPrefix: [folder], parallelism: 1 }, async (url) => {
        const signal = AbortSignal.timeout(300);
        const silent = cmd(['/bin/true'], { copyIn: { a: { src: pipe } } });
        await expect(post(url, { cmd: [silent] }, { signal })).rejects.toThrow();
        const next = await post(url, { cmd: [cmd(['/bin/true'])] }, { signal: AbortSignal.timeout(10_000) });
        expect(await next.text()).toContain('"status":"Accepted"');
      });
    } finally {
      closeSync(writer);
    }
  });

  test('a folder of stored files survives', async () => {
    const dir = join(folder, 'store');
    const form = new FormData();
    form.append('file', new Blob(['x']), 'name.txt');
    const id = await withServer({ dir }, async (url) =>
      (await fetch(`${url}/file`, { method: 'POST', body: form })).json(),
    );
    await withServer({ dir }, async (url) => {
      expect(await (await fetch(`${url}/file`)).json()).toEqual({ [id as string]: 'name.txt' });
    });
  });

  test('a filter of the caller counts on top', async () => {
    const seccomp = {
      defaultAction: 'allow' as const,
      rules: [
        { names: ['mkdir', 'mkdirat'], action: 'kill-process' as const },
        { names: ['unlink', 'unlinkat'], action: 'errno' as const },
      ],
    };
    await withServer({ seccomp }, async (url) => {
      const program = cmd(['/bin/sh', '-c', 'echo x > a; rm a || exec mkdir d']);
      const [result] = (await (await post(url, { cmd: [program] })).json()) as {
        files: { stderr: string };
      }[];
      expect(result).toMatchObject({ status: 'Dangerous Syscall', exitStatus: 31 });
      expect(result!.files.stderr).toContain('Operation not permitted');
    });
    await expect(
      createGojudgeServer({
        seccomp: { defaultAction: 'allow', rules: [{ names: ['nope'], action: 'errno' }] },
      }),
    ).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS' });
  });

  test('variables of the file that is bound to /.env come before those of the request', async () => {
    const source = join(folder, 'dotenv');
    const bound = ['/usr', '/bin', '/lib', '/lib64'].map((path) => ({
      type: 'bind' as const,
      source: path,
      target: path,
      readonly: true,
    }));
    const tmpfs = { type: 'tmpfs' as const, target: '/w' };
    const mountConf = { mount: [...bound, tmpfs, { type: 'bind' as const, source, target: '.env' }] };
    writeFileSync(source, '# of all\n\n  A=a b \nPATH=/nowhere\n');
    await withServer({ mountConf }, async (url) => {
      const answer = await post(url, { cmd: [cmd(['env'])] });
      expect(await answer.text()).toContain('"stdout":"A=a b\\nPATH=/nowhere\\nPATH=/usr/bin:/bin\\n"');
    });
    writeFileSync(source, 'A=a\nB\n');
    await expect(createGojudgeServer({ mountConf })).rejects.toThrow('"B" sets no variable');
  });

  test('a wrong option is named', async () => {
    await expect(createGojudgeServer({ paralelism: 2 } as object)).rejects.toMatchObject({
      code: 'SBX_INVALID_OPTIONS',
    });
  });
});

/** What a command says: it has said it, or ended without; how long its start takes is no subject here. */
function logOf(child: ChildProcess) {
  const log = {
    text: '',
    has: async (words: string) => {
      while (!log.text.includes(words)) {
        expect([child.exitCode, child.signalCode], log.text).toEqual([null, null]);
        await Promise.race([once(child.stderr!, 'data'), once(child, 'exit')]);
      }
    },
  };
  child.stderr!.on('data', (chunk) => {
    log.text += chunk;
  });
  return log;
}

const binOf = (path: string) => new URL(`../../packages/${path}`, import.meta.url).pathname;

describe.each([
  ['sbx-gojudge', [binOf('gojudge-server/bin/sbx-gojudge.mjs')]],
  ['sbx serve gojudge', [binOf('cli/bin/sbx.mjs'), 'serve', 'gojudge']],
])('the command %s', (_name, words) => {
  const start = (args: string[], env = {}) =>
    spawn(process.execPath, [...words, ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  test("takes a start line of go-judge's, answers, and ends well by SIGTERM", async () => {
    writeFileSync(
      join(folder, 'mount.yaml'),
      'mount:\n  - {type: bind, source: /usr, target: /usr, readonly: true}\n  - {type: bind, source: /bin, target: /bin, readonly: true}\n  - {type: bind, source: /lib64, target: /lib64, readonly: true}\n  - {type: bind, source: /lib, target: /lib, readonly: true}\n  - {type: tmpfs, target: /w, data: "size=16m"}\nproc: true\nhostName: judge\n',
    );
    const args = [
      '-http-addr',
      '127.0.0.1:0',
      '-mount-conf',
      'mount.yaml',
      '-parallelism',
      '2',
      '--pre-fork=1',
      '-output-limit',
      '64m',
      '-copy-out-limit',
      '1MB',
      '-extra-memory-limit',
      '16k',
      '-release',
    ];
    const child = start(args, { ES_AUTH_TOKEN: 'token-of-test' });
    const log = logOf(child);
    await log.has('listening');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(log.text)![0];
    const answer = await post(
      url,
      { cmd: [cmd(['uname', '-n'])] },
      { headers: { authorization: 'Bearer token-of-test' } },
    );
    expect(await answer.text()).toContain('"stdout":"judge\\n"');
    expect(
      ((await (await fetch(`${url}/config`)).json()) as { runnerConfig: unknown }).runnerConfig,
    ).toMatchObject({ hostName: 'judge', mount: expect.any(Array) });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(log.text).not.toContain('token-of-test');
    expect(log.text).toContain('"path":"mount.yaml","msg":"configuration file read"');
    expect(log.text).toMatch(/"version":"\d+\.\d+\.\d+[^"]*".*"msg":"listening"/);
    expect(log.text).not.toContain('"msg":"request"');
  });

  test('the token of a flag is neither in the process table nor on a page, and a version is advertised', async () => {
    const args = [
      '-http-addr',
      '127.0.0.1:0',
      '-monitor-addr',
      '127.0.0.1:0',
      '-enable-debug',
      '-auth-token',
    ];
    const child = start([...args, 'token-of-flag', '-advertise-version', 'v1.8.5']);
    const log = logOf(child);
    await log.has('listening');
    const [url, monitorUrl] = [...log.text.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)].map(([found]) => found);
    const shown = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
    expect(shown).toContain('-auth-token');
    expect(shown).not.toContain('token-of-flag');
    const headers = { authorization: 'Bearer token-of-flag' };
    const page = await (await fetch(`${monitorUrl}/debug/pprof/cmdline`, { headers })).text();
    expect(page).toContain('-auth-token\0…');
    expect(page).not.toContain('token-of-flag');
    expect(await (await fetch(`${url}/version`)).json()).toMatchObject({ buildVersion: 'v1.8.5' });
    await log.has('"method":"GET","path":"/version","status":200,"durationMs":');
    expect(log.text).not.toContain('token-of-flag');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test.each([[['-nope']], [['-advertise-version', '1.2']], [['-parallelism', 'x']], [['-enable-grpc']]])(
    '%j ends with 1',
    async (args) => {
      const child = start(args);
      expect(await once(child, 'exit')).toEqual([1, null]);
    },
  );
});
