// Work folders as archives: out with `snapshot`, in with `workspace`, and what hostile ones come to.
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Sandbox, SandboxOptions, WorkspaceSource } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { KiB, MiB, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { openDescriptors } from '../helpers/proc.js';
import { longestStand } from '../helpers/stand.js';
import { END, entry, header, pax } from '../helpers/tar.js';
import { eventually } from '../helpers/wait.js';

const sbx = useEngine({ limits: { diskBytes: 16 * MiB, diskFileCount: 2000, fileBytes: null } });
const create = (workspace: WorkspaceSource, options: SandboxOptions = {}) =>
  sbx.engine.createSandbox({ workspace, ...options });
const shell = async (sandbox: Sandbox, script: string) =>
  (await sandbox.run('/bin/sh', ['-c', script])).orThrow().stdout.text();

/** What `stat` says of everything below, in order. */
const LIST = "find . -mindepth 1 -printf '%P %y %m %s %T@ %U %l %n\\n' | sort";

describe('a snapshot', () => {
  it('starts another sandbox that is the same', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const long = `${'d'.repeat(200)}/${'e'.repeat(200)}`;
    await shell(
      sandbox,
      `mkdir -p a/b '${long}' closed; echo hi > a/f; ln a/f a/g; ln -s ../f a/b/link; ln -s /etc/passwd out
       printf '#!/bin/sh\\necho ran' > run; chmod 755 run; echo ü > 'na
me ü'; echo long > '${long}/file'; head -c 300000 /dev/urandom > big; : > empty; chmod 0 empty; chmod 500 closed
       mkfifo pipe; find . -exec touch -h -d @1600000000.123456789 {} +; rm pipe
       touch -d @1600000001 a/b; touch -d @1600000000.000000001 a/f run; touch -d @1600000000 .`,
    );
    const archive = await buffer(sandbox.snapshot());
    await using other = await create(archive);
    expect(await shell(other, LIST)).toBe(await shell(sandbox, LIST));
    expect(await shell(other, './run; cat a/b/link; test a/f -ef a/g && echo same')).toBe('ran\nhi\nsame\n');
    expect(await other.readFile('big')).toEqual(await sandbox.readFile('big'));
  });

  it('is a tar archive that tar reads, times to the nanosecond', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { 'a/b.txt': 'text' } });
    await sandbox.writeFile('/tmp/w.tar', sandbox.snapshot());
    const times = "find a -printf '%P %T@\\n'";
    expect(await shell(sandbox, `mkdir /tmp/x; tar -C /tmp/x -xf /tmp/w.tar; cd /tmp/x; ${times}`)).toBe(
      await shell(sandbox, times),
    );
    expect(
      await shell(
        sandbox,
        'tar -tf /tmp/w.tar; tar -xOf /tmp/w.tar a/b.txt; tar --numeric-owner -tvf /tmp/w.tar | head -1',
      ),
    ).toMatch(/^a\/\na\/b\.txt\ntextdrwxr-xr-x 1000\/1000/);
  });

  it('leaves out pipes and sockets', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await shell(sandbox, 'mkfifo pipe; touch file');
    await using other = await create(sandbox.snapshot());
    expect(await other.readdir()).toEqual(['file']);
  });

  it('is bounded in bytes and in number', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    // Holes count: they would be written out.
    await shell(sandbox, 'truncate -s 20G sparse');
    await expect(buffer(sandbox.snapshot())).rejects.toMatchObject({
      code: 'SBX_FILE_TOO_LARGE',
      path: 'sparse',
    });
    await shell(sandbox, 'rm sparse; touch $(seq 100)');
    await expect(buffer(sandbox.snapshot({ maxFileCount: 99 }))).rejects.toMatchObject({
      code: 'SBX_FILE_TOO_LARGE',
    });
    expect((await buffer(sandbox.snapshot({ maxFileCount: 100, maxBytes: 0 }))).byteLength).toBeGreaterThan(
      51_200,
    );
  });

  it('says which name no archive can carry', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await shell(sandbox, 'touch "$(printf \'bad\\377\')"');
    await expect(buffer(sandbox.snapshot())).rejects.toMatchObject({
      code: 'SBX_FILE_IO',
      errnoName: 'EILSEQ',
    });
  });

  it('says which link no archive can carry; one that says a replacement character is one', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await shell(sandbox, 'ln -s "$(printf \'\\357\\277\\275\')" fine');
    await using other = await create(await buffer(sandbox.snapshot()));
    expect(await other.readlink('fine')).toBe('\u{fffd}');
    await shell(sandbox, 'ln -s "$(printf \'bad\\377\')" link');
    await expect(buffer(sandbox.snapshot())).rejects.toMatchObject({ path: 'link', errnoName: 'EILSEQ' });
  });

  it('goes through while a program moves everything, and never outside', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const process = await sandbox.spawn('/bin/sh', [
      '-c',
      'mkdir -p a/b real; echo in > real/f; while :; do ln -sfn /etc a/b; rm a/b; mkdir a/b; echo x > a/b/passwd; rm -r a/b; mv real a/real; mv a/real real; done',
    ]);
    for (let round = 0; round < 20; round++) {
      const archive = await buffer(sandbox.snapshot());
      expect(archive.includes('root:x')).toBe(false);
    }
    await process.kill();
  });

  it('ends with an abort, with the end of the sandbox, and when nobody reads on', async () => {
    const sandbox = await sbx.engine.createSandbox();
    await shell(sandbox, 'head -c 5000000 /dev/zero > f');
    const reason = new Error('enough');
    await expect(buffer(sandbox.snapshot({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    for await (const _ of sandbox.snapshot()) break;
    const reading = sandbox.snapshot();
    await once(reading, 'readable');
    await sandbox.close();
    await expect(buffer(reading)).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    expect(() => sandbox.snapshot()).toThrow('is closed');
  });

  it('comes in again, whatever times programs have set', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await shell(
      sandbox,
      'for at in -5 9000000000 8640000000001 9000000000000000; do touch -d @$at ./$at; done',
    );
    await using other = await create(await buffer(sandbox.snapshot()));
    const times = await shell(other, 'stat -c "%Y %n" -- * | sort');
    expect(times.trim().split('\n')).toEqual([
      '0 -5',
      '8589934591 8640000000001',
      '8589934591 9000000000',
      '8589934591 9000000000000000',
    ]);
  });

  it('that is left, and a file that is, keep nothing of the sandbox open', async () => {
    const sandbox = await sbx.engine.createSandbox();
    await shell(sandbox, 'mkdir d; head -c 5000000 /dev/zero > d/f');
    const left = [sandbox.snapshot(), sandbox.createReadStream('d/f')];
    await Promise.all(left.map((stream) => once(stream, 'readable')));
    const open = () => [...openDescriptors().values()].filter((path) => /^(\/w)?\/d(\/f)?$/.test(path));
    expect(open()).toContain('/w/d/f');
    await sandbox.close();
    await eventually(paced(1000), open);
    for (const stream of left) await expect(buffer(stream)).rejects.toMatchObject({ code: 'SBX_CLOSED' });
  });

  it('refuses wrong options', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    expect(() => sandbox.snapshot({ maxByte: 1 } as never)).toThrow('maxBytes');
    expect(() => sandbox.snapshot({ maxBytes: -1 })).toThrow('options.maxBytes');
  });
});

describe('a workspace', () => {
  const archive = Buffer.concat([entry('a/b', 'text'), END]);

  it.each<[string, (work: (source: WorkspaceSource) => Promise<void>) => Promise<void>]>([
    ['bytes', (work) => work(archive)],
    ['bytes in an object', (work) => work({ bytes: archive })],
    [
      'a stream, byte by byte',
      (work) =>
        work(
          (async function* () {
            for (const byte of archive) yield Uint8Array.of(byte);
          })(),
        ),
    ],
    ['a host file', (work) => withHostFile((hostFile) => work({ hostFile }))],
    [
      'a descriptor',
      (work) =>
        withHostFile(async (path) => {
          const fd = openSync(path, 'r');
          await work({ fd });
          closeSync(fd);
        }),
    ],
  ])('comes as %s', async (_, give) => {
    await give(async (source) => {
      await using sandbox = await create(source, { files: { c: 'more' } });
      expect([await sandbox.readTextFile('a/b'), await sandbox.readTextFile('c')]).toEqual(['text', 'more']);
    });
  });

  it('belongs to the sandbox’s user, whatever the archive says, without set-id bits', async () => {
    await using sandbox = await create(Buffer.concat([entry('f', 'x', { uid: 0, mode: 0o6755 }), END]));
    expect(await shell(sandbox, 'stat -c "%u %g %a" f; echo more >> f')).toBe('1000 1000 755\n');
  });

  it('takes the later of two entries, ./ before names, and old headers', async () => {
    const twice = Buffer.concat([
      entry('./', '', { type: '5' }),
      entry('./f', 'one'),
      entry('f', 'two'),
      entry('l', '', { type: '2', linkname: 'f' }),
      entry('l', '', { type: '2', linkname: 'g' }),
      END,
    ]);
    await using sandbox = await create(twice);
    expect([await sandbox.readTextFile('f'), await sandbox.readlink('l')]).toEqual(['two', 'g']);
  });

  it('passes over sizes that are none, and takes unknown kinds as files', async () => {
    const sizes = [pax({ size: '-5' }), entry('f', 'x'), pax({ size: 'ten' }), entry('g', 'y')];
    await using sandbox = await create(Buffer.concat([...sizes, entry('h', 'z', { type: 'V' }), END]));
    expect(await shell(sandbox, 'cat f g h')).toBe('xyz');
  });

  it('keeps a name that begins with a mark of byte order apart from one without', async () => {
    await using sandbox = await create(Buffer.concat([entry('f', 'x'), entry('\u{feff}f', 'y'), END]));
    expect([await sandbox.readTextFile('f'), await sandbox.readTextFile('\u{feff}f')]).toEqual(['x', 'y']);
  });

  it('keeps links that lead out as what they say: programs see their own root', async () => {
    await using sandbox = await create(
      Buffer.concat([entry('l', '', { type: '2', linkname: '/etc/hostname' }), END]),
    );
    expect(await shell(sandbox, 'cat l')).toBe('sandbox\n');
    await expect(sandbox.readFile('l')).rejects.toMatchObject({ code: 'SBX_FILE_OUTSIDE' });
  });
});

async function withHostFile(work: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-test-'));
  try {
    writeFileSync(join(folder, 'w.tar'), Buffer.concat([entry('a/b', 'text'), END]));
    await work(join(folder, 'w.tar'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const link = (name: string, linkname: string) => entry(name, '', { type: '2', linkname });
const folder = (name: string) => entry(`${name}/`, '', { type: '5' });
const hardLink = (name: string, linkname: string) => entry(name, '', { type: '1', linkname });
/** The first byte of its name is none of UTF-8. */
function notText(bytes: Buffer): Buffer {
  const sum = Number.parseInt(bytes.toString('latin1', 148, 154), 8) - bytes[0]! + 0xff;
  bytes[0] = 0xff;
  bytes.write(sum.toString(8).padStart(6, '0'), 148);
  return bytes;
}

async function* endless(chunk: Uint8Array) {
  for (;;) yield chunk;
}

describe('a hostile archive keeps nobody else waiting, and the host holds nothing of it:', () => {
  it('hundreds of thousands of attributes', async () => {
    const records = Array.from(
      { length: 400_000 },
      (_, n) => `10 ${String(n).padStart(5, '0').slice(-5)}=\n`,
    );
    const many = entry('PaxHeader', records.join(''), { type: 'x' });
    const source = Buffer.concat([many, entry('f', 'x'), END]);
    const stand = longestStand(() =>
      expect(create(source)).rejects.toMatchObject(invalid(/bytes between two entries/)),
    );
    expect(await stand).toBeLessThan(paced(500));
    const fewer = entry('PaxHeader', records.slice(0, 100_000).join(''), { type: 'x' });
    const taken = longestStand(async () => {
      await using sandbox = await create(Buffer.concat([fewer, entry('f', 'x'), END]));
      expect(await sandbox.readTextFile('f')).toBe('x');
    });
    expect(await taken).toBeLessThan(paced(500));
  }, 60_000);

  it('the same file again and again, from memory', async () => {
    const source = Buffer.concat([...Array<Buffer>(8_000).fill(entry('f', '')), END]);
    expect(await longestStand(() => create(source).then((sandbox) => sandbox.close()))).toBeLessThan(
      paced(500),
    );
  }, 60_000);

  it('names as deep as they can be', async () => {
    const deep = Array.from({ length: 2 }, (_, n) => [
      pax({ path: `${n}/${'d/'.repeat(900)}f` }),
      entry('f', 'x'),
    ]);
    const source = Buffer.concat([...deep.flat(), END]);
    expect(await longestStand(() => create(source).then((sandbox) => sandbox.close()))).toBeLessThan(
      paced(500),
    );
  }, 60_000);

  it('folders with long attributes', async () => {
    const record = Buffer.alloc(900_000, 'x'); // and no string, which would count here
    record.write('900000 comment=');
    record.write('\n', record.byteLength - 1);
    const attributes = entry('PaxHeader', record, { type: 'x' });
    const folders = (async function* () {
      for (let n = 0; n < 200; n += 1) yield Buffer.concat([attributes, folder(`${n}`)]);
      yield END;
    })();
    const before = process.memoryUsage().heapUsed;
    await using sandbox = await create(folders);
    expect((await sandbox.readdir('.')).length).toBe(200);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * MiB);
  }, 60_000);
});

describe('a hostile archive is refused:', () => {
  it.each<[string, WorkspaceSource, { code: string; message?: RegExp }]>([
    ['an absolute name', entry('/etc/x', 'x'), invalid(/relative names/)],
    ['a name with ..', entry('a/../../x', 'x'), invalid(/'\.\.' part/)],
    [
      'such a name in attributes',
      Buffer.concat([pax({ path: '../x' }), entry('fine', 'x')]),
      invalid(/'\.\.' part/),
    ],
    ['a name that is no text', notText(entry('f', 'x')), invalid(/whole tar archive.*UTF-8/)],
    ['a NUL in attributes', Buffer.concat([pax({ path: 'a\0b' }), entry('fine', 'x')]), invalid(/NUL/)],
    [
      'a name too long',
      Buffer.concat([pax({ path: 'a/'.repeat(3000) }), entry('fine', 'x')]),
      invalid(/4095 bytes/),
    ],
    ['a device', entry('d', '', { type: '3' }), invalid(/files, folders and links.*character-device/)],
    ['a block device', entry('d', '', { type: '4' }), invalid(/block-device/)],
    ['a pipe', entry('p', '', { type: '6' }), invalid(/fifo/)],
    [
      'a file through its own link',
      Buffer.concat([link('l', '/tmp'), entry('l/x', 'x')]),
      { code: 'SBX_FILE_NOT_FOLDER' },
    ],
    [
      'a file two folders behind one',
      Buffer.concat([link('l', '/'), entry('l/tmp/x', 'x')]),
      { code: 'SBX_FILE_NOT_FOLDER' },
    ],
    [
      'a folder that is a link',
      Buffer.concat([link('l', '/tmp'), entry('l/', '', { type: '5' })]),
      { code: 'SBX_FILE_NOT_FOLDER' },
    ],
    ['a hard link to what leads out', hardLink('h', '../../etc/passwd'), invalid(/'\.\.' part/)],
    ['an absolute hard link', hardLink('h', '/etc/passwd'), invalid(/relative names/)],
    [
      'a hard link through a link',
      Buffer.concat([link('l', '/etc'), hardLink('h', 'l/passwd')]),
      { code: 'SBX_FILE_NOT_FOLDER' },
    ],
    [
      'a hard link to a link',
      Buffer.concat([link('l', '/etc/passwd'), hardLink('h', 'l')]),
      { code: 'SBX_FILE_IO' },
    ],
    ['a hard link to nothing', hardLink('h', 'missing'), { code: 'SBX_FILE_NOT_FOUND' }],
    ['a link without a target', link('l', ''), invalid(/links that say a path/)],
    [
      'more than the folder holds',
      Buffer.concat([header('f', { size: 17 * MiB }), Buffer.alloc(17 * MiB)]),
      { code: 'SBX_FILE_NO_SPACE' },
    ],
    [
      'more files than it holds',
      Buffer.concat(Array.from({ length: 3000 }, (_, n) => entry(`f${n}`, ''))),
      { code: 'SBX_FILE_NO_SPACE' },
    ],
    [
      'an endless file',
      chain(header('f', { size: 2 ** 33 - 1 }), endless(Buffer.alloc(64 * KiB))),
      { code: 'SBX_FILE_NO_SPACE' },
    ],
    [
      'endless attributes',
      chain(header('x', { type: 'x', size: 2 ** 33 - 1 }), endless(Buffer.alloc(64 * KiB))),
      invalid(/bytes between two entries|maximum size/),
    ],
    [
      'an endless long name',
      chain(header('x', { type: 'L', size: 2 ** 32 }), endless(Buffer.alloc(64 * KiB))),
      invalid(/bytes between two entries|maximum size/),
    ],
    ['zeros without end', endless(Buffer.alloc(64 * KiB)), invalid(/bytes between two entries|maximum size/)],
    [
      'a wrong checksum',
      Buffer.from(entry('f', 'x').map((byte, at) => (at === 0 ? 0x67 : byte))),
      invalid(/whole tar archive/),
    ],
    ['an end within a file', entry('f', 'x'.repeat(2000)).subarray(0, 1000), invalid(/whole tar archive/)],
    ['no archive', Buffer.from('hello'.repeat(1000)), invalid(/whole tar archive/)],
    ['a compressed one', gzipSync(entry('f', 'x')), invalid(/not compressed.*createGunzip/)],
    ['text from the stream', chain('text' as never, endless(Buffer.alloc(1))), { code: 'SBX_STREAM_SOURCE' }],
  ])(
    '%s',
    async (_, source, expected) => {
      const { message = /./, code } = expected;
      const ending = message.source.includes('whole') ? Buffer.alloc(0) : END;
      const whole = source instanceof Uint8Array ? Buffer.concat([source, ending]) : source;
      const error = await create(whole).then(
        () => null,
        (error) => error,
      );
      expect([error?.code, error?.message]).toEqual([code, expect.stringMatching(message)]);
      expect(error.message.length).toBeLessThan(400);
    },
    20_000,
  );

  it('a source that fails or never comes gives its reason, and the place is free again', async () => {
    const failing = (async function* () {
      yield entry('f', 'x');
      throw new Error('torn');
    })();
    await expect(create(failing)).rejects.toMatchObject({
      code: 'SBX_STREAM_SOURCE',
      cause: { message: 'torn' },
    });
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
    const reason = new Error('enough');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 50);
    await expect(create(never, { signal: controller.signal })).rejects.toBe(reason);
    expect(sbx.engine.counters().sandboxes).toBe(0);
  });

  it('options that are none say so', async () => {
    await expect(create('x' as never)).rejects.toMatchObject({ field: 'options.workspace' });
    await expect(create({ text: 'x' } as never)).rejects.toMatchObject({ field: 'options.workspace.text' });
    await expect(create({ hostFile: '/missing' })).rejects.toMatchObject({ code: 'SBX_FILE_NOT_FOUND' });
  });
});

function invalid(message: RegExp): { code: string; message: RegExp } {
  return { code: 'SBX_INVALID_OPTIONS', message };
}

async function* chain(first: Uint8Array, rest: AsyncIterable<Uint8Array>) {
  yield first;
  yield* rest;
}
