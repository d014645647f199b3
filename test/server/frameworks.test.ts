// Mounted in front of a framework's own handler: its routes stay, ours answer, sockets included.
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { FathomClient } from '@sbx/fathom-client';
import { GojudgeClient } from '@sbx/gojudge-client';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { useServer } from './server.js';

const sbx = useServer({ console: false });

/** In front of a listener. */
const mounted = (listener: RequestListener) =>
  createHttpServer((request, response) =>
    sbx.server.handler(request, response, () => listener(request, response)),
  );

const FRAMEWORKS: Record<string, () => Promise<Server>> = {
  'node:http': async () => mounted((_request, response) => response.end('mine')),
  Express: async () => {
    const app = express();
    app.use(sbx.server.handler);
    app.get('/mine', (_request, response) => void response.send('mine'));
    return createHttpServer(app);
  },
  Fastify: async () => {
    const app = Fastify({ serverFactory: (handler) => mounted(handler) });
    app.get('/mine', async () => 'mine');
    await app.ready();
    return app.server;
  },
  Hono: async () => {
    const app = new Hono().get('/mine', (context) => context.text('mine'));
    return mounted(getRequestListener(app.fetch));
  },
};

describe.each(Object.entries(FRAMEWORKS))('%s', (_, create) => {
  test('its own routes and sockets, and ours', async () => {
    const server = await create();
    const own = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) =>
      sbx.server.handleUpgrade(request, socket, head, () =>
        own.handleUpgrade(request, socket, head, (opened) => opened.close()),
      ),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(await (await fetch(`${url}/mine`)).text()).toBe('mine');
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      await using gojudge = new GojudgeClient({ url });
      expect((await gojudge.run({ args: ['/bin/cat'], stdin: 'in' })).stdout).toBe('in');
      await using fathom = new FathomClient({ url: `${url}/fathom` });
      expect((await fathom.execute({ language: 'shell', code: 'echo out' })).stdout).toBe('out\n');
      const socket = new WebSocket(url.replace('http', 'ws'));
      await new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
