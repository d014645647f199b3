/** The server that this page came from: its clients, and its token, which is kept in memory alone. */
import { FathomClient } from '@sbx/fathom-client';
import { GojudgeClient } from '@sbx/gojudge-client';
import { RunFiles } from './files/run-files.js';
import { LiveClient } from './live.js';

export interface Server {
  live: LiveClient;
  gojudge(): GojudgeClient;
  fathom(): FathomClient;
  /** Of a run whose id was made by `newFilesId`. */
  files(id: string): RunFiles;
  /** Connects again with another token. */
  enter(token: string): void;
}

export function openServer(): Server {
  const live = new LiveClient();
  let token: string | undefined;
  let fathom: FathomClient | null = null;
  live.connect();
  return {
    live,
    gojudge: () => new GojudgeClient({ url: location.origin, token, retries: 0 }),
    fathom: () => {
      fathom ??= new FathomClient({ url: `${location.origin}/fathom`, token, reconnect: false });
      return fathom;
    },
    files: (id) => new RunFiles(id, token),
    enter(given) {
      token = given;
      void fathom?.close();
      fathom = null;
      live.connect(token);
    },
  };
}
