// A server of ours on a free port, closed and checked for leaks after use.
import { createGojudgeServer, type GojudgeServer, type GojudgeServerOptions } from '@sbx/gojudge-server';
import { afterAll, beforeAll } from 'vitest';
import { expectNothingLeft, settledFootprint } from '../helpers/leaks.js';

export interface TestServer {
  readonly url: string;
  readonly monitorUrl: string;
  readonly server: GojudgeServer;
}

/** One server for the tests of a file. */
export function useServer(options: GojudgeServerOptions = {}): TestServer {
  let server: GojudgeServer | undefined;
  let urls: { urls: string[]; monitorUrls: string[] } | undefined;
  let before: Awaited<ReturnType<typeof settledFootprint>>;
  beforeAll(async () => {
    before = await settledFootprint();
    server = await createGojudgeServer({
      host: '127.0.0.1',
      port: 0,
      monitorAddr: '127.0.0.1:0',
      parallelism: 2,
      ...options,
    });
    urls = await server.listen();
  }, 60_000);
  afterAll(async () => {
    const info = server!.engine.info();
    await server!.close();
    await expectNothingLeft(before, info);
  });
  return {
    get url() {
      return urls!.urls[0]!;
    },
    get monitorUrl() {
      return urls!.monitorUrls[0]!;
    },
    get server() {
      return server!;
    },
  };
}

/** A program with room to run in. */
export function cmd(args: string[], more: object = {}): object {
  return {
    args,
    env: ['PATH=/usr/bin:/bin'],
    files: [{ content: '' }, { name: 'stdout', max: 10_240 }, { name: 'stderr', max: 10_240 }],
    cpuLimit: 10_000_000_000,
    clockLimit: 12_000_000_000,
    memoryLimit: 104_857_600,
    procLimit: 50,
    ...more,
  };
}

export function post(url: string, body: string | object, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/run`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
}
