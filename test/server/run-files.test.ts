// `/console/files`: files of a run that asks for it, which nothing leads out of.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GojudgeClient as Client, GojudgeClient } from '@sbx/gojudge-client';
import { describe, expect, test } from 'vitest';
import { openDescriptors } from '../helpers/proc.mjs';
import { useServer } from './server.js';

const open = useServer();
const guarded = useServer({ token: 'secret' }, () => open.server);

/** A shell that does `setUp` and waits for its end; its files are at `url`. */
async function shellWith(setUp: string, { url, token }: { url: string; token?: string } = { url: open.url }) {
  const id = `sbx.files.${crypto.randomUUID()}`;
  const client: Client = new GojudgeClient({ url, token });
  const run = await client.interact(
    {
      args: ['/bin/sh', '-c', `${setUp}\necho ready; cat`],
      env: { PATH: '/usr/bin:/bin' },
      limits: { wallTimeMs: 30_000 },
    },
    { requestId: id },
  );
  for await (const { bytes } of run) if (Buffer.from(bytes).includes('ready')) break;
  return {
    id,
    url: `${url}/console/files/${id}/`,
    async [Symbol.asyncDispose]() {
      await run.close();
      await client.close();
    },
  };
}

interface Answer {
  status: number;
  text: string;
  headers: Headers;
}

async function call(method: string, url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { method, ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('files of a run', () => {
  test('are listed, read, written, made and removed', async () => {
    await using shell = await shellWith('echo hello > b.txt; mkdir sub; echo x > sub/c; chmod 755 b.txt');
    const { entries, moreCount } = JSON.parse((await call('GET', shell.url)).text);
    expect(moreCount).toBe(0);
    expect(entries).toEqual([
      { name: 'b.txt', kind: 'file', sizeBytes: 6 },
      expect.objectContaining({ name: 'sub', kind: 'dir' }),
    ]);
    expect((await call('GET', `${shell.url}sub/c`)).text).toBe('x\n');
    expect((await call('PUT', `${shell.url}b.txt`, { body: 'other' })).status).toBe(204);
    expect((await call('GET', `${shell.url}b.txt`)).text).toBe('other');
    expect((await call('PUT', `${shell.url}new/`)).status).toBe(204);
    expect((await call('DELETE', `${shell.url}sub/`)).status).toBe(204);
    expect((await call('DELETE', `${shell.url}b.txt`)).status).toBe(204);
    expect(JSON.parse((await call('GET', shell.url)).text).entries).toMatchObject([{ name: 'new' }]);
  });

  test('are written only as they were read, where that is asked for', async () => {
    await using shell = await shellWith('echo hello > a.txt');
    const url = `${shell.url}a.txt`;
    const write = (body: string, mark: string | null) =>
      call('PUT', url, { body, headers: mark === null ? {} : { 'If-Match': mark } });
    const read = (await call('GET', url)).headers.get('ETag');
    const first = await write('mine', read);
    expect(first.status).toBe(204);
    const late = await write('late', read);
    expect([late.status, late.text]).toEqual([412, expect.stringMatching(/^path: has changed since it was/)]);
    expect((await call('GET', url)).text).toBe('mine');
    const second = await write('mine as well', first.headers.get('ETag'));
    expect([second.status, (await call('GET', url)).headers.get('ETag')]).toEqual([
      204,
      second.headers.get('ETag'),
    ]);
    expect((await write('whatever is there', null)).status).toBe(204);
    await call('DELETE', url);
    expect((await write('gone', second.headers.get('ETag'))).status).toBe(412);
    expect(JSON.parse((await call('GET', shell.url)).text).entries).toEqual([]);
  });

  test('are written only where nothing is, where that is asked for', async () => {
    await using shell = await shellWith('echo hello > a.txt; ln -s nowhere link');
    const create = (name: string, condition = '*') =>
      call('PUT', shell.url + name, { body: 'new', headers: { 'If-None-Match': condition } });
    for (const name of ['a.txt', 'link']) {
      const late = await create(name);
      expect([late.status, late.text]).toEqual([
        412,
        expect.stringMatching(/^path: something has this name;/),
      ]);
    }
    expect((await call('GET', `${shell.url}a.txt`)).text).toBe('hello\n');
    expect((await create('b.txt')).status).toBe(204);
    expect((await call('GET', `${shell.url}b.txt`)).text).toBe('new');
    expect((await create('c.txt', '"tag"')).text).toMatch(/^If-None-Match: must be '\*'/);
    expect(JSON.parse((await call('GET', shell.url)).text).entries).toHaveLength(3);
  });

  test('are downloads, whatever is in them, and no page', async () => {
    await using shell = await shellWith('echo "<script>alert(1)</script>" > x.html');
    const { headers } = await call('GET', `${shell.url}x.html`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  test.each([
    ['a link to a file of the host', 'ln -s /etc/passwd at', 403],
    ['a link to /proc', 'ln -s /proc/self/environ at', 403],
    ['a link to a folder above', 'ln -s ../../../etc/passwd at', 403],
    ['a pipe', 'mkfifo at', 403],
    ['nothing', ':', 404],
    ['a folder', 'mkdir at', 409],
    ['a file of 65 MiB', 'truncate -s 65M at', 413],
  ])('%s cannot be read', async (_, setUp, status) => {
    await using shell = await shellWith(setUp);
    const answer = await call('GET', `${shell.url}at`);
    expect(answer.text).not.toMatch(/root:|PATH=/);
    expect(answer.status).toBe(status);
  });

  test('a download that is aborted leaves no descriptor', async () => {
    await using shell = await shellWith('truncate -s 60M big');
    const ofFiles = () => [...openDescriptors().values()].filter((target) => target.endsWith('/big')).length;
    for (let count = 0; count < 40; count += 1) {
      const { hostname, port, host, pathname } = new URL(`${shell.url}big`);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await sleep(count % 10);
      socket.resetAndDestroy();
    }
    await expect.poll(ofFiles).toBe(0);
  });

  test('what is written replaces a link or a pipe, and never goes through it', async () => {
    await using shell = await shellWith('ln -s /etc/passwd link; mkfifo pipe; ln -s /etc out');
    for (const name of ['link', 'pipe']) {
      expect((await call('PUT', `${shell.url}${name}`, { body: 'mine' })).status).toBe(204);
      expect((await call('GET', `${shell.url}${name}`)).text).toBe('mine');
    }
    expect((await call('PUT', `${shell.url}out/passwd`, { body: 'mine' })).status).toBe(403);
    expect((await call('DELETE', `${shell.url}out/passwd`)).status).toBe(403);
    expect((await call('GET', `${shell.url}%2Fetc%2Fpasswd`)).status).toBe(400);
    expect((await call('GET', `${shell.url}..%2F..%2Fetc%2Fpasswd`)).status).toBeGreaterThanOrEqual(400);
  });

  test('at most 1000 are listed, and a name that is no text is told', async () => {
    await using shell = await shellWith(
      'i=0; while [ $i -lt 1100 ]; do : > f$i; i=$((i+1)); done; : > "$(printf "a\\377")"',
    );
    const { entries, moreCount } = JSON.parse((await call('GET', shell.url)).text);
    expect([entries.length, moreCount]).toEqual([1000, 101]);
    expect(entries[0]).toEqual({ name: 'a\ufffd', kind: 'file', sizeBytes: null });
  });

  test('more than 64 MiB is refused before it has come, and leaves nothing', async () => {
    await using shell = await shellWith(':');
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(2 ** 20)),
    });
    const sent = call('PUT', `${shell.url}big`, { body, duplex: 'half' } as RequestInit);
    const status = await sent.then(
      (answer) => answer.status,
      () => 413,
    ); // the connection may be cut first
    expect(status).toBe(413);
    await expect.poll(async () => (await call('GET', shell.url)).text).toBe('{"entries":[],"moreCount":0}');
  });
});

describe('who may', () => {
  test('only runs whose id asks for it, while they run', async () => {
    await using client = new GojudgeClient({ url: open.url });
    await using run = await client.interact({ args: ['/bin/sleep', '5'] }, { requestId: 'guessed' });
    expect((await call('GET', `${open.url}/console/files/guessed/`)).status).toBe(404);
    run.cancel();
    let url = '';
    {
      await using shell = await shellWith(':');
      url = shell.url;
      expect((await call('GET', url)).status).toBe(200);
    }
    await expect.poll(async () => (await call('GET', url)).status).toBe(404);
  });

  test('with the token alone, and no page of others', async () => {
    await using shell = await shellWith(':', { url: guarded.url, token: 'secret' });
    expect((await call('GET', shell.url)).status).toBe(401);
    const headers = { Authorization: 'Bearer secret' };
    expect((await call('GET', shell.url, { headers })).status).toBe(200);
    await using other = await shellWith(':');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await call(method, `${other.url}x`, { headers: { Origin: 'https://evil.example' } });
      expect(answer.status).toBe(403);
    }
    expect((await call('POST', `${other.url}x`, { body: 'x' })).status).toBe(405);
  });
});
