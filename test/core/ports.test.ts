// Ways from the host to ports of a sandbox that stays.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Sandbox } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { KiB, MiB, t, useEngine } from '../helpers/engine.js';
import { freePort } from '../helpers/free-port.mjs';
import { openDescriptors } from '../helpers/proc.mjs';
import { sleep, until } from '../helpers/wait.js';

const sbx = useEngine();
const PORT = 8000;
const UNREACHABLE = { code: 'SBX_PORT_UNREACHABLE', retryable: true };

const withPorts = () => sbx.engine.createSandbox({ network: 'loopback' });

async function serve(sandbox: Sandbox, mode: 'echo' | 'flood' | 'deaf', address = '127.0.0.1') {
  const server = await sandbox.spawn(t('serve-port'), [address, `${PORT}`, mode], { stdout: 'pipe' });
  for await (const line of server.stdout.lines()) if (line === 'ready') break;
  return server;
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  return text;
}

describe('connect', () => {
  it.each(['127.0.0.1', '::1', '0.0.0.0', '::'])('reaches a server on %s', async (address) => {
    await using sandbox = await withPorts();
    await serve(sandbox, 'echo', address);
    const socket = await sandbox.connect(PORT, { allowHalfOpen: true });
    socket.end('hello');
    expect(await textOf(socket)).toBe('helloend');
  });

  it('waits for a server that is on its way up', async () => {
    await using sandbox = await withPorts();
    const connecting = sandbox.connect(PORT, { timeoutMs: 30_000 });
    await sleep(50);
    await serve(sandbox, 'echo');
    const socket = await connecting;
    socket.end('x');
    expect(await textOf(socket)).toBe('xend');
  });

  it.each([0, 50])('says that nobody listens, with %s ms of time', async (timeoutMs) => {
    await using sandbox = await withPorts();
    const details = { port: PORT, timeoutMs };
    await expect(sandbox.connect(PORT, { timeoutMs })).rejects.toMatchObject({ ...UNREACHABLE, details });
  });

  it('does not wait for ever for who accepts nothing', async () => {
    await using sandbox = await withPorts();
    await serve(sandbox, 'deaf');
    const open: Socket[] = [];
    await expect(async () => {
      for (;;) open.push(await sandbox.connect(PORT, { timeoutMs: 1200 }));
    }).rejects.toMatchObject(UNREACHABLE);
    expect(open.length).toBeLessThan(4);
  });

  it('ends with its signal, and with the sandbox', async () => {
    const sandbox = await withPorts();
    const stop = new AbortController();
    const [aborted, closed] = [stop.signal, undefined].map((signal) =>
      sandbox.connect(PORT, { timeoutMs: 60_000, signal }),
    );
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const rejected = expect(closed).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    await sandbox.close();
    await rejected;
    await expect(sandbox.connect(PORT)).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    const already = sandbox.connect(PORT, { signal: AbortSignal.abort(new Error('before')) });
    await expect(already).rejects.toMatchObject({ code: 'SBX_CLOSED' });
  });

  it('leaves no descriptor, however it ends', async () => {
    await using sandbox = await withPorts();
    await serve(sandbox, 'echo');
    const before = openDescriptors().size;
    const rounds = 60;
    for (let i = 0; i < rounds; i += 1) {
      (await sandbox.connect(PORT)).destroy();
      await expect(sandbox.connect(PORT + 1, { timeoutMs: 0 })).rejects.toMatchObject(UNREACHABLE);
      const stop = new AbortController();
      const aborted = sandbox.connect(PORT, { signal: stop.signal });
      stop.abort();
      await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    }
    // A slot that the engine makes meanwhile has some twenty.
    await until(10_000, 'they are closed', () => openDescriptors().size < before + rounds);
  });

  it('is no end of the host when a program resets it and nobody listens for errors', async () => {
    await using sandbox = await withPorts();
    const server = await serve(sandbox, 'deaf');
    const socket = await sandbox.connect(PORT);
    const closed = new Promise((resolve) => socket.resume().once('close', resolve));
    await new Promise((resolve) => socket.write('what it never reads', resolve));
    server.kill('SIGKILL');
    await closed;
    expect(socket.errored).toMatchObject({ code: 'ECONNRESET' });
  });

  it('a sandbox that closes ends its connections', async () => {
    const sandbox = await withPorts();
    await serve(sandbox, 'echo');
    const socket = await sandbox.connect(PORT);
    socket.write('x');
    await once(socket, 'data'); // one that the server has not accepted would be reset by its end
    const closed = once(socket.resume(), 'close');
    await sandbox.close();
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it('what nobody reads is little, however fast it was read before', async () => {
    await using sandbox = await withPorts();
    const server = await serve(sandbox, 'flood');
    const socket = await sandbox.connect(PORT);
    socket.resume();
    await until(30_000, '64 MiB are read', () => socket.bytesRead > 64 * MiB);
    socket.pause();
    await sleep(300); // the kernel's buffers fill
    const before = socket.bytesRead;
    server.kill('SIGKILL');
    await server.result;
    await once(socket.resume(), 'close');
    expect(socket.bytesRead - before).toBeLessThan(512 * KiB);
  });

  it('is refused for a sandbox without a network, and for what is no port', async () => {
    await using closed = await sbx.engine.createSandbox();
    const refused = { code: 'SBX_INVALID_OPTIONS', field: 'options.network', rule: 'conflict' };
    await expect(closed.connect(PORT)).rejects.toMatchObject(refused);
    await expect(closed.expose(PORT)).rejects.toMatchObject(refused);
    const walls = { network: 'loopback', seccomp: 'strict', seccompAction: 'kill' } as const;
    await using strict = await sbx.engine.createSandbox(walls);
    await expect(strict.connect(PORT)).rejects.toMatchObject({ field: 'options.seccomp' });
    expect((await strict.run(t('true'))).status).toBe('ok');
    await using sandbox = await withPorts();
    for (const port of [0, 65_536, 1.5, '80'])
      await expect(sandbox.connect(port as number)).rejects.toMatchObject({ field: 'port' });
    const options = { host: '10.0.0.1' } as object;
    await expect(sandbox.connect(PORT, options)).rejects.toMatchObject({ field: 'options.host' });
  });
});

describe('expose', () => {
  it('leads in, with halves that close one by one, for many at once', async () => {
    await using sandbox = await withPorts();
    const { host, port, url } = await sandbox.expose(PORT);
    expect(url).toBe(`http://127.83.66.120:${port}`);
    const answers = Array.from({ length: 20 }, async (_, i) => {
      const socket = connect({ host, port, allowHalfOpen: true });
      socket.end(`${i} `.repeat(50_000));
      return textOf(socket);
    });
    await serve(sandbox, 'echo'); // it comes after those who want it
    for (const [i, answer] of (await Promise.all(answers)).entries())
      expect(answer === `${`${i} `.repeat(50_000)}end`).toBe(true);
  });

  it('resets who finds nobody', async () => {
    await using sandbox = await withPorts();
    const { host, port } = await sandbox.expose(PORT, { timeoutMs: 0 });
    const [error] = await once(connect({ host, port }), 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  it('bounds how many there are', async () => {
    await using sandbox = await withPorts();
    await serve(sandbox, 'echo');
    const { host, port } = await sandbox.expose(PORT, { maxConnections: 1 });
    const first = connect({ host, port });
    first.write('x');
    expect(`${(await once(first, 'data'))[0]}`).toBe('x');
    const second = connect({ host, port })
      .resume()
      .on('error', () => undefined);
    await once(second, 'close');
    first.destroy();
  });

  it('ends by close and with the sandbox, connections included', async () => {
    const sandbox = await withPorts();
    await serve(sandbox, 'echo');
    const [one, other] = [await sandbox.expose(PORT), await sandbox.expose(PORT)];
    const sockets = [one, other].map(({ host, port }) => connect({ host, port }));
    const [ofOne, ofOther] = sockets.map((socket) =>
      once(
        socket.on('error', () => undefined),
        'close',
      ),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    await one.close();
    await one.close();
    await ofOne;
    await sandbox.close();
    await ofOther;
    for (const { host, port } of [one, other])
      await expect(once(connect({ host, port }), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('takes the port that it is told, which must be free', async () => {
    await using sandbox = await withPorts();
    const wanted = await freePort();
    await using exposed = await sandbox.expose(PORT, { host: '::1', port: wanted });
    expect(exposed.url).toBe(`http://[::1]:${wanted}`);
    await expect(sandbox.expose(PORT, { host: '::1', port: wanted })).rejects.toMatchObject({
      code: 'SBX_PORT_UNAVAILABLE',
      message: expect.stringContaining('EADDRINUSE'),
    });
    await expect(sandbox.expose(PORT, { hostname: 'x' } as object)).rejects.toThrow('Write host.');
  });
});
