import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import { pathOf, type RouteParts, route } from './routes.js';

/** Status, body and headers of an answer. */
async function ask(
  url: string,
  { method = 'GET', ...parts }: { method?: string } & Partial<RouteParts> = {},
) {
  const resume = vi.fn();
  const sent = { status: 0, headers: {} as Record<string, unknown>, body: '' };
  const response = {
    writeHead: (status: number, headers: Record<string, unknown>) => {
      Object.assign(sent, { status, headers });
      return response;
    },
    setHeader: () => response,
    end: (body = '') => void Object.assign(sent, { body: String(body) }),
  };
  const all: RouteParts = {
    path: '/ws',
    check: () => null,
    metrics: { contentType: 'text/plain; version=0.0.4', metrics: async () => 'figures\n' },
    problem: () => null,
    ...parts,
  };
  const request = { url, method, headers: {}, resume } as unknown as IncomingMessage;
  await route(all, request, response as unknown as ServerResponse);
  expect(resume).toHaveBeenCalledOnce();
  return sent;
}

it.each([
  ['/ws', 'GET', 426],
  ['/ws?token=x', 'POST', 426],
  ['/healthz', 'GET', 200],
  ['/healthz', 'HEAD', 200],
  ['/healthz', 'POST', 404],
  ['/readyz', 'GET', 200],
  ['/metrics', 'GET', 200],
  ['/metrics', 'DELETE', 404],
  ['/else', 'GET', 404],
])('%s by %s: %i', async (url, method, status) => {
  expect((await ask(url, { method })).status).toBe(status);
});

it('is not ready while something is in the way, and says what; it is alive all the same', async () => {
  const problem = () => 'the queue is full';
  expect(await ask('/readyz', { problem })).toMatchObject({ status: 503, body: 'the queue is full\n' });
  expect((await ask('/healthz', { problem })).status).toBe(200);
});

it.each([
  ['no-token', 401],
  ['foreign-page', 403],
] as const)('figures are for who may enter: %s', async (objection, status) => {
  const metrics = { contentType: 'text/plain', metrics: vi.fn(async () => '') };
  expect((await ask('/metrics', { check: () => objection, metrics })).status).toBe(status);
  expect(metrics.metrics).not.toHaveBeenCalled();
  expect((await ask('/healthz', { check: () => objection })).status).toBe(200);
});

it('figures that cannot be read are an error of the server', async () => {
  const metrics = { contentType: 'text/plain', metrics: () => Promise.reject(new Error('lost')) };
  expect(await ask('/metrics', { metrics })).toMatchObject({
    status: 500,
    body: 'metrics could not be read\n',
  });
});

it.each([
  [undefined, '/'],
  ['/a?b=/c', '/a'],
  ['/a#b\n', '/a'],
])('the path of %j', (url, path) => {
  expect(pathOf({ url } as IncomingMessage)).toBe(path);
});
