// One server of all protocols on a free port, closed and checked for leaks after use.
import { createServer, type SbxServer, type ServerOptions } from '@sbx/server';
import { afterAll, beforeAll } from 'vitest';
import { expectNothingLeft, settledFootprint } from '../helpers/leaks.js';

export interface TestServer {
  /** Address without a path. */
  readonly url: string;
  readonly server: SbxServer;
}

/** One server for the tests of a file; a second one in the same file uses the engine of the first. */
export function useServer(options: ServerOptions = {}, shared?: () => SbxServer): TestServer {
  let server: SbxServer | undefined;
  let url = '';
  let before: Awaited<ReturnType<typeof settledFootprint>>;
  beforeAll(async () => {
    before = await settledFootprint();
    const fathom = { standby: {}, ...options.fathom };
    server = await createServer({ port: 0, engine: shared?.().engine, ...options, fathom });
    [url] = (await server.listen()).urls as [string];
  }, 60_000);
  afterAll(async () => {
    const info = server!.engine.info();
    await server!.close();
    if (shared === undefined) await expectNothingLeft(before, info);
  });
  return {
    get url() {
      return url;
    },
    get server() {
      return server!;
    },
  };
}
