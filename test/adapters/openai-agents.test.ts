// The client over stand-ins for what @openai/agents-core hands in.
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createOpenAIAgentsClient,
  type OpenAIAgentsCreateArgs,
  type OpenAIAgentsEntry,
} from '@sbx/adapters/openai-agents';
import { Sandbox } from '@sbx/core';
import { describe, expect, it, vi } from 'vitest';
import { useEngine } from '../helpers/engine.js';
import { HOSTILE_LIMITS, hostileAgent, type Tools, workingAgent } from './agent.js';

const sbx = useEngine();

interface Init {
  root?: string;
  entries?: Record<string, OpenAIAgentsEntry & { ephemeral?: boolean }>;
  environment?: Record<string, string>;
  users?: unknown[];
  extraPathGrants?: Grant[];
}
type Grant = { path: string; hostPath?: string; readOnly?: boolean };

class Manifest {
  readonly root: string;
  readonly entries: NonNullable<Init['entries']>;
  readonly environment: Record<string, string>;
  readonly users: unknown[];
  readonly groups = [];
  readonly extraPathGrants: Grant[];
  constructor(init: Init = {}) {
    this.root = init.root ?? '/workspace';
    this.entries = init.entries ?? {};
    this.environment = init.environment ?? {};
    this.users = init.users ?? [];
    this.extraPathGrants = init.extraPathGrants ?? [];
  }
  ephemeralPersistencePaths(): Set<string> {
    const paths = Object.entries(this.entries).filter(([, { ephemeral }]) => ephemeral);
    return new Set(paths.map(([path]) => path));
  }
  async resolveEnvironment() {
    return this.environment;
  }
}
class UserError extends Error {}
class SandboxUnsupportedFeatureError extends UserError {}
class SandboxArchiveError extends UserError {}
class SandboxLifecycleError extends UserError {}

const framework = {
  Manifest,
  cloneManifest: (manifest: Init) => new Manifest(manifest),
  /** Of diffs only what the tests write: lines that are put in, and lines that are taken out. */
  applyDiff(input: string, diff: string): string {
    const lines = diff.split('\n');
    const of = (sign: string) => lines.filter((it) => it.startsWith(sign)).map((it) => it.slice(1));
    return of('-').length === 0 ? of('+').join('\n') : input.replace(of('-').join('\n'), of('+').join('\n'));
  },
  permissionsForSandboxEntry: (permissions: number = 0o755) => ({ toMode: () => permissions }),
  UserError,
  SandboxUnsupportedFeatureError,
  SandboxArchiveError,
  SandboxLifecycleError,
};

const open = (limits = {}) => createOpenAIAgentsClient(framework, { engine: sbx.engine, limits });
async function start(init: Init = {}, limits = {}) {
  return open(limits).create({ manifest: init });
}
const toolsOf = (session: Awaited<ReturnType<typeof start>>): Tools => ({
  write: (path, content) => session.materializeEntry({ path, entry: { type: 'file', content } as never }),
  read: async (path) => Buffer.from(await session.readFile({ path })).toString(),
  async run(cmd) {
    const { exitCode, output } = await session.exec({ cmd });
    return { exitCode: exitCode!, output };
  },
});

/** A folder of the host. */
async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sbx-test-entries-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The most files that were written at once. Each takes until as many as expected are, and longer. */
async function mostAtOnce(expected: number, work: () => Promise<unknown>): Promise<number> {
  let now = 0;
  let most = 0;
  const { writeFile: write } = Sandbox.prototype;
  const spy = vi.spyOn(Sandbox.prototype, 'writeFile').mockImplementation(async function (
    this: Sandbox,
    ...args
  ) {
    most = Math.max(most, ++now);
    for (let tries = 0; most < expected && tries < 200; tries++) await sleep(5);
    await sleep(5);
    await write.apply(this, args);
    now--;
  });
  try {
    await work();
    return most;
  } finally {
    spy.mockRestore();
  }
}

describe('commands of an OpenAI Agents session', () => {
  it('end with outputs, an exit code and the limit that ended them', async () => {
    await using session = await start({ environment: { GREETING: 'hey' } }, { wallTimeMs: 400 });
    const result = await session.exec({ cmd: 'pwd; echo $GREETING >&2; exit 3' });
    expect(result).toMatchObject({ stdout: '/w\n', stderr: 'hey\n', exitCode: 3 });
    expect([...result.output].sort()).toEqual([...'/w\nhey\n'].sort());
    expect(session.state.manifest.root).toBe('/w');
    expect(await session.exec({ cmd: 'sleep 9' })).toMatchObject({
      exitCode: 124,
      stderr: 'sbx: ended: it took longer than its limit (wall-limit)\n',
    });
    expect(await session.execCommand({ cmd: 'echo a; exit 2', login: true })).toMatch(
      /^Chunk ID: [0-9a-f]{6}\nWall time: 0\.\d{4} seconds\nProcess exited with code 2\nOutput:\na\n$/,
    );
    expect(await session.exec({ cmd: 'echo $0; pwd', shell: 'bash', workdir: '/tmp' })).toMatchObject({
      stdout: 'bash\n/tmp\n',
    });
  });

  it('go on after their yield time, and are talked to', async () => {
    await using session = await start();
    const { sessionId, exitCode, output } = await session.exec({
      cmd: 'echo ready; read x; echo "<$x>"; read y; exit 4',
      yieldTimeMs: 100,
    });
    expect([exitCode, output]).toEqual([undefined, 'ready\n']);
    expect(await session.writeStdin({ sessionId: sessionId!, chars: 'hi\n' })).toMatch(
      new RegExp(`running with session ID ${sessionId}\nOutput:\n<hi>\n$`),
    );
    expect(await session.writeStdin({ sessionId: sessionId!, chars: '\n' })).toMatch(/exited with code 4\n/);
    expect(await session.writeStdin({ sessionId: sessionId! })).toContain('session not found');
    const sleeper = await session.exec({ cmd: 'exec sleep 100', yieldTimeMs: 0 });
    const interrupted = await session.writeStdin({ sessionId: sleeper.sessionId!, chars: '\u0003' });
    expect(interrupted).toContain('exited with code 130');
  });

  it('have a terminal when they want one', async () => {
    await using session = await start();
    const { sessionId } = await session.exec({
      cmd: 'tty; stty -echo; read x; test -t 0 && echo "[$x]"; sleep 100',
      tty: true,
      yieldTimeMs: 300,
    });
    const seen = await session.writeStdin({ sessionId: sessionId!, chars: 'typed\n' });
    expect(seen).toContain('[typed]\r\n');
    expect(await session.writeStdin({ sessionId: sessionId!, chars: '\u0003', yieldTimeMs: 5000 })).toMatch(
      /exited with code 130/,
    );
  });

  it('are bounded in what is kept, typed and returned', async () => {
    await using session = await start();
    const flood = await session.exec({ cmd: 'yes | head -c 5000000; echo end' });
    expect(flood.output).toMatch(/^\[\.\.\.3951428 characters truncated from process output\.\.\.\]\n/);
    expect(flood.output.slice(-6)).toBe('y\nend\n');
    const short = await session.exec({ cmd: 'seq 1000; echo €', maxOutputTokens: 20 });
    expect(short.output).toMatch(/^1\n2\n[\s\S]*\.\.\.\d+ tokens truncated\.\.\.[\s\S]*1000\n€\n$/);
    expect(Buffer.byteLength(short.output)).toBeLessThanOrEqual(80);
    expect(short.originalTokenCount).toBe(975);
    const both = await session.exec({ cmd: 'yes | head -c 5000000', maxOutputTokens: 20 });
    expect(both.output).toMatch(/^\[\.\.\.\d+ characters truncated from process output\.\.\.\]\ny\n/);
    expect(both.output).toContain('tokens truncated...');
    const { sessionId } = await session.exec({ cmd: 'sleep 100', yieldTimeMs: 0 });
    const chars = 'x'.repeat(2 ** 20);
    const write = (text: string) =>
      session.writeStdin({ sessionId: sessionId!, chars: text, yieldTimeMs: 0 });
    expect(await write(`${chars}x`)).toContain('write_stdin failed: chars is longer');
    expect(await write(chars)).toContain('running with session ID');
    expect(await write(chars)).toContain('write_stdin failed: the command has not read');
    await session.stop();
    const all = Array.from({ length: 32 }, () => session.exec({ cmd: 'sleep 100', yieldTimeMs: 0 }));
    await Promise.all(all);
    await expect(session.exec({ cmd: 'true' })).rejects.toThrow('32 commands are kept');
    await session.stop();
    expect((await session.exec({ cmd: 'true' })).exitCode).toBe(0);
    for (const args of [{ shell: 'nosuchshell' }, { workdir: 'nowhere' }])
      await expect(session.exec({ cmd: 'true', ...args })).rejects.toBeInstanceOf(UserError);
  });
});

describe('files of an OpenAI Agents session', () => {
  it('start from a manifest, with modes', async () => {
    const children = { 'run.sh': { type: 'file', content: '#!/bin/sh\necho $0', permissions: 0o700 } };
    await using session = await start({ entries: { d: { type: 'dir', children } } });
    expect((await session.exec({ cmd: 'stat -c %a d d/run.sh; d/run.sh' })).output).toBe(
      '755\n700\nd/run.sh\n',
    );
    expect(await session.listDir({ path: 'd' })).toEqual([
      { name: 'run.sh', path: 'd/run.sh', type: 'file' },
    ]);
    expect(await session.listDir({ path: '' })).toEqual([{ name: 'd', path: 'd', type: 'dir' }]);
    const there = ['d', 'd/run.sh', '/w/d', 'nope'].map((path) =>
      Promise.all([session.pathExists(path), session.directoryExists(path)]),
    );
    expect(await Promise.all(there)).toEqual([
      [true, true],
      [true, false],
      [true, true],
      [false, false],
    ]);
    expect(await session.readFile({ path: 'd/run.sh', maxBytes: 2 })).toEqual(
      new Uint8Array(Buffer.from('#!')),
    );
    const more = new Manifest({ entries: { e: { type: 'file', content: 'e' } }, environment: { A: 'a' } });
    await session.applyManifest(more);
    expect((await session.exec({ cmd: 'cat e; echo $A' })).output).toBe('ea\n');
    expect(Object.keys(session.state.manifest.entries)).toEqual(['d', 'e']);
  });

  it('come from the host where it is granted, and without links', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'a'), 'from the host');
      const entries = { copy: { type: 'local_dir', src: folder } };
      await expect(start({ entries })).rejects.toThrow('must be below the current folder');
      const extraPathGrants = [{ path: folder }];
      await using session = await start({ entries, extraPathGrants });
      expect((await session.exec({ cmd: 'cat copy/a' })).output).toBe('from the host');
      await symlink('/etc/passwd', join(folder, 'b'));
      await expect(start({ entries, extraPathGrants })).rejects.toThrow('files and folders only');
      const link = { c: { type: 'local_file', src: join(folder, 'b') } };
      await expect(start({ entries: link, extraPathGrants })).rejects.toThrow('symbolic link');
      const up = { c: { type: 'local_file', src: join(folder, '../../etc/passwd') } };
      await expect(start({ entries: up, extraPathGrants })).rejects.toThrow('must be below');
    });
  });

  it('come from the host in folders, and an entry for a file of a copy wins over it', async () => {
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'd/e'), { recursive: true });
      await mkdir(join(folder, 'empty'));
      for (const path of ['a', 'd/b', 'd/e/c']) await writeFile(join(folder, path), path);
      const closed = { type: 'dir', permissions: 0o500, children: { f: { type: 'file', content: 'f' } } };
      await using session = await start({
        entries: {
          'copy/d/b': { type: 'file', content: 'own' },
          copy: { type: 'local_dir', src: folder },
          closed,
        },
        extraPathGrants: [{ path: folder }],
      });
      const { output } = await session.exec({ cmd: 'cd copy; find . | sort; cat a d/b d/e/c ../closed/f' });
      expect(output).toBe('.\n./a\n./d\n./d/b\n./d/e\n./d/e/c\n./empty\naownd/e/cf');
      expect((await session.exec({ cmd: 'stat -c %a closed' })).output).toBe('500\n');
    });
  });

  it('come from no other folder of the host when one becomes a link meanwhile', async () => {
    await withFolder(async (folder) => {
      const [copied, inner] = [join(folder, 'copied'), join(folder, 'copied/inner')];
      await mkdir(inner, { recursive: true });
      for (const path of ['first', 'inner/passwd']) await writeFile(join(copied, path), 'innocent');
      const concurrencyLimits = { localDirFiles: 1 };
      const manifest = new Manifest({ extraPathGrants: [{ path: folder, readOnly: true }] });
      await using session = await open().create({ manifest, concurrencyLimits });
      const { writeFile: write } = Sandbox.prototype;
      const spy = vi.spyOn(session.sandbox, 'writeFile').mockImplementationOnce(async (...args) => {
        await write.apply(session.sandbox, args);
        await rename(inner, join(folder, 'moved'));
        await symlink('/etc', inner);
      });
      const entry = { type: 'local_dir', src: copied };
      await expect(session.materializeEntry({ path: 'in', entry })).rejects.toThrow('symbolic link');
      expect(spy.mock.calls.map(([path]) => path)).toEqual(['in/first']);
    });
  });

  it('are written as many at once as concurrencyLimits say', async () => {
    const names = Array.from({ length: 9 }, (_, i) => `${i}`);
    const file = { type: 'file', content: 'x' };
    const files = Object.fromEntries(names.map((name) => [name, file]));
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'd'));
      for (const name of names) await writeFile(join(folder, +name % 2 ? name : `d/${name}`), name);
      const extraPathGrants = [{ path: folder }];
      const check = async (entries: NonNullable<Init['entries']>, expected: number, args = {}) => {
        const most = await mostAtOnce(expected, async () => {
          await using session = await open().create({ ...args, manifest: { entries, extraPathGrants } });
          const { output } = await session.exec({ cmd: 'find . -type f | wc -l' });
          expect(Number(output)).toBe('copy' in entries ? 9 : 12);
        });
        expect(most).toBe(expected);
      };
      const local = { type: 'local_file', src: join(folder, '1') };
      const entries = { ...files, d: { type: 'dir', children: { a: file, b: file } }, local };
      await check(entries, 1, { concurrencyLimits: { manifestEntries: 1 } });
      await check(entries, 7, { options: { concurrencyLimits: { manifestEntries: 7 } } });
      await check(entries, 4);
      const copy = { copy: { type: 'local_dir', src: folder } };
      await check(copy, 2, { concurrencyLimits: { localDirFiles: 2.5 } });
      await check(copy, 4);
    });
  });

  it('are edited and looked at', async () => {
    await using session = await start();
    const editor = session.createEditor();
    await editor.createFile({ path: 'd/f', diff: '+old' });
    await expect(editor.createFile({ path: 'd/f', diff: '+x' })).rejects.toThrow('file already exists');
    await session.sandbox.chmod('d/f', 0o700);
    await editor.updateFile({ path: 'd/f', diff: '-old\n+new', moveTo: 'g' });
    expect((await session.exec({ cmd: 'ls d; cat g; stat -c %a g' })).output).toBe('new700\n');
    await editor.deleteFile({ path: 'g' });
    await expect(editor.deleteFile({ path: 'g' })).rejects.toBeInstanceOf(UserError);
    await session.sandbox.writeFile('p', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    expect((await session.viewImage({ path: 'p' })).image.mediaType).toBe('image/png');
    await session.sandbox.writeFile('t', 'text');
    await expect(session.viewImage({ path: 't' })).rejects.toThrow('Unsupported image format');
    await session.sandbox.writeFile('comment.svg', '<!-- made -->\n<svg></svg>');
    expect((await session.viewImage({ path: 'comment.svg' })).image.mediaType).toBe('image/svg+xml');
    for (const path of ['/etc/passwd', '../x', 'missing'])
      await expect(session.readFile({ path }), path).rejects.toBeInstanceOf(UserError);
  });

  it('are moved by edits: beside, into /tmp, and to the same file by another name', async () => {
    await using session = await start();
    const { updateFile } = session.createEditor();
    await session.exec({ cmd: 'printf 0 > f; ln -s . l' });
    let path = 'f';
    for (const [at, moveTo] of ['./f', '/w/f', 'l/f', 'd/e/f', '/tmp/g/f', 'f'].entries()) {
      await updateFile({ path, diff: `-${at}\n+${at + 1}`, moveTo });
      expect(await session.sandbox.readTextFile(moveTo), moveTo).toBe(`${at + 1}`);
      path = moveTo;
    }
    expect((await session.exec({ cmd: 'find . /tmp -type f' })).output).toBe('./f\n');
  });

  it('are kept as an archive, without what is ephemeral, and put back', async () => {
    const entries = { secret: { type: 'file', content: 's', ephemeral: true } };
    await using session = await start({ entries });
    await session.exec({ cmd: 'echo kept > f; mkdir d; ln -s f d/l' });
    const archive = await session.persistWorkspace();
    await session.exec({ cmd: 'echo more > g; sleep 100', yieldTimeMs: 0 });
    await session.hydrateWorkspace(archive);
    expect((await session.exec({ cmd: 'ls; cat f; readlink d/l' })).output).toBe('d\nf\nkept\nf\n');
    expect(sbx.engine.counters().sandboxes).toBe(1);
    const tooLarge = [{ maxInputBytes: 100 }, { maxExtractedBytes: 1 }, { maxMembers: 2 }];
    for (const archiveLimits of tooLarge)
      await expect(session.hydrateWorkspace(archive, { archiveLimits })).rejects.toBeInstanceOf(
        SandboxArchiveError,
      );
    await expect(session.hydrateWorkspace('no archive')).rejects.toBeInstanceOf(SandboxArchiveError);
    expect(() => session.setArchiveLimits({ maxMembers: 0 })).toThrow('archiveLimits.maxMembers');
    expect((await session.exec({ cmd: 'cat f' })).output).toBe('kept\n');
  });

  it('may be the work folder itself, which is not kept when it is ephemeral', async () => {
    const children = { f: { type: 'file', content: 'f' }, d: { type: 'dir', children: {} } };
    const root = { type: 'dir', ephemeral: true, children };
    for (const path of ['.', '']) {
      await using session = await start({ entries: { [path]: root } });
      expect((await session.exec({ cmd: 'ls; cat f' })).output).toBe('d\nf\nf');
      await session.hydrateWorkspace(await session.persistWorkspace());
      expect((await session.exec({ cmd: 'ls -A; pwd' })).output).toBe('/w\n');
    }
  });
});

describe('an OpenAI Agents client', () => {
  it('refuses what a sandbox has not, before anything is done', async () => {
    const wrong: Init[] = [
      { users: [{ name: 'u' }] },
      { root: '/elsewhere' },
      { entries: { d: { type: 'dir', children: { m: { type: 's3_mount' } } } } },
      { entries: { f: { type: 'file', group: { name: 'g' } } } },
    ];
    for (const init of wrong)
      await expect(start(init)).rejects.toBeInstanceOf(SandboxUnsupportedFeatureError);
    await expect(open().create({ snapshot: { type: 'remote' } })).rejects.toThrow('persistWorkspace()');
    expect(sbx.engine.counters().sandboxes).toBe(0);
    await using session = await start();
    const runAs = 'root';
    await expect(session.exec({ cmd: 'true', runAs })).rejects.toThrow('one user');
    const entry = { type: 'file', content: 'x' };
    await expect(session.materializeEntry({ path: 'f', entry, runAs })).rejects.toThrow('one user');
    expect(await session.pathExists('f')).toBe(false);
  });

  it('refuses limits and options that it cannot hold, by name', async () => {
    const refusals: [args: OpenAIAgentsCreateArgs, says: string, errorClass: typeof UserError][] = [
      [{ concurrencyLimits: { manifestEntries: 0 } }, 'concurrencyLimits.manifestEntries', UserError],
      [{ concurrencyLimits: { localDirFiles: Number.NaN } }, 'concurrencyLimits.localDirFiles', UserError],
      [{ archiveLimits: { maxMembers: 0 } }, 'archiveLimits.maxMembers', UserError],
      [{ options: { exposedPorts: [80] } }, 'options.exposedPorts', SandboxUnsupportedFeatureError],
      [{ options: { snapshot: { type: 'local' } } }, 'snapshot', SandboxUnsupportedFeatureError],
    ];
    for (const [args, says, errorClass] of refusals) {
      const refused = expect(open().create(args), says).rejects;
      await refused.toThrow(says);
      await refused.toBeInstanceOf(errorClass);
    }
    const manifest = new Manifest();
    await expect(open().create(manifest, { image: 'x' })).rejects.toThrow('options.image');
    expect(sbx.engine.counters().sandboxes).toBe(0);
    await using session = await open().create(manifest, { archiveLimits: { maxInputBytes: 1 } });
    await expect(session.hydrateWorkspace('no archive')).rejects.toThrow('more than 1 bytes');
    const archiveLimits = { maxMembers: '9' as never };
    await expect(session.hydrateWorkspace('', { archiveLimits })).rejects.toThrow('archiveLimits.maxMembers');
    const elsewhere = new Manifest({ root: '/elsewhere' });
    await expect(session.applyManifest(elsewhere)).rejects.toThrow('manifest.root "/elsewhere"');
  });

  it('refuses grants that commands would not see as they are promised', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'a'), 'from the host');
      const wrong: [Grant, says: string][] = [
        [{ path: '/data', hostPath: folder }, 'manifest.extraPathGrants.hostPath'],
        [{ path: folder }, `commands do not see "${folder}"`],
        [{ path: '/tmp', readOnly: true }, 'manifest.extraPathGrants.readOnly'],
      ];
      const entries = { a: { type: 'local_file', src: join(folder, 'a') } };
      await using session = await start();
      for (const [grant, says] of wrong) {
        const init = { extraPathGrants: [{ path: '/tmp' }, grant] };
        for (const work of [() => start(init), () => session.applyManifest(new Manifest(init))]) {
          const refused = expect(work(), says).rejects;
          await refused.toBeInstanceOf(SandboxUnsupportedFeatureError);
          await refused.toThrow(says);
        }
      }
      expect(sbx.engine.counters().sandboxes).toBe(1);
      const seen = [{ path: '/tmp' }, { path: '/usr', readOnly: true }, { path: folder, hostPath: folder }];
      await session.applyManifest(new Manifest({ entries, extraPathGrants: seen }));
      await session.applyManifest(new Manifest({ entries: { b: entries.a } }));
      expect((await session.exec({ cmd: 'cat a b' })).output).toBe('from the hostfrom the host');
      // Skills that the framework puts in place when the model asks for them.
      await using later = await start({ extraPathGrants: [{ path: folder, readOnly: true }] });
      await later.materializeEntry({ path: 'c', entry: entries.a });
      expect((await later.exec({ cmd: 'cat c' })).output).toBe('from the host');
    });
  });

  it('says where a port of it is, with a network', async () => {
    const client = createOpenAIAgentsClient(framework, { engine: sbx.engine, network: 'loopback' });
    await using session = await client.create(new Manifest());
    await session.exec({ cmd: 'echo hello > index.html; python3 -m http.server 8000', yieldTimeMs: 0 });
    const { host, port } = await session.resolveExposedPort(8000);
    expect(await (await fetch(`http://${host}:${port}`)).text()).toBe('hello\n');
    await expect(session.resolveExposedPort(0)).rejects.toBeInstanceOf(UserError);
  });

  it('closes its sessions, which say so', async () => {
    const client = open();
    const session = await client.create(new Manifest());
    expect([await session.running(), session.supportsPty(), client.backendId]).toEqual([true, true, 'sbx']);
    await session.exec({ cmd: 'sleep 100', yieldTimeMs: 0 });
    await client.close();
    expect([await session.running(), session.state.workspaceReady]).toEqual([false, false]);
    expect(sbx.engine.counters().sandboxes).toBe(0);
    await expect(session.exec({ cmd: 'true' })).rejects.toBeInstanceOf(SandboxLifecycleError);
    await expect(session.hydrateWorkspace('')).rejects.toBeInstanceOf(SandboxLifecycleError);
    await session.close();
  });

  it('closes a session that is being made, too', async () => {
    const client = open();
    const creation = client.create(new Manifest());
    await client.close();
    await expect(creation).rejects.toBeInstanceOf(SandboxLifecycleError);
    expect(sbx.engine.counters().sandboxes).toBe(0);
  });

  it('has sessions that end with their lifetime', async () => {
    await using client = createOpenAIAgentsClient(framework, { engine: sbx.engine, lifetimeMs: 50 });
    const session = await client.create(new Manifest());
    await expect.poll(() => session.running()).toBe(false);
    await expect(session.exec({ cmd: 'true' })).rejects.toBeInstanceOf(SandboxLifecycleError);
    await expect(session.hydrateWorkspace('')).rejects.toBeInstanceOf(SandboxLifecycleError);
  });

  it('works in /workspace on an engine of its own', async () => {
    await using client = createOpenAIAgentsClient(framework);
    const session = await client.create();
    expect((await session.exec({ cmd: 'pwd' })).output).toBe('/workspace\n');
  });

  it('carries an agent that works', async () => {
    await using session = await start();
    expect(await workingAgent(toolsOf(session))).toBe('3');
  });

  it('survives an agent that is hostile', { timeout: 60_000 }, async () => {
    await using session = await start({}, HOSTILE_LIMITS);
    await hostileAgent(toolsOf(session));
  });
});
