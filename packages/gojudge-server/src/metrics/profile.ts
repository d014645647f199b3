/**
 * In the place of Go's profiles: those of Node, in the forms its tools read (`.cpuprofile`, `.heapsnapshot`).
 */
import type { ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import { pipeline } from 'node:stream/promises';
import { getHeapSnapshot } from 'node:v8';
import { sendText } from '@sbx/serving';
import { withoutSecrets } from '../config/secrets.js';

const SECONDS_DEFAULT = 30;
const SECONDS_MAX = 300;

const INDEX = `profiles of Node, where go-judge has those of Go:
/debug/pprof/cmdline            the command line
/debug/pprof/profile?seconds=N  CPU time over N seconds, as .cpuprofile
/debug/pprof/heap               the heap, as .heapsnapshot
`;

/** Answers one path of the monitor port. */
export type Page = (response: ServerResponse, query: URLSearchParams) => void | Promise<void>;

/** By path. Only one CPU profile is taken at a time. */
export function profilePages(): Readonly<Record<string, Page>> {
  let isBusy = false;
  return {
    '/debug/pprof/': (response) => sendText(response, 200, INDEX),
    '/debug/pprof/cmdline': (response) => sendText(response, 200, withoutSecrets(process.argv).join('\0')),
    '/debug/pprof/heap': async (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      await pipeline(getHeapSnapshot(), response).catch(() => undefined); // the reader went away
    },
    '/debug/pprof/profile': async (response, query) => {
      if (isBusy) return sendText(response, 500, 'a profile is being taken\n');
      const seconds = Number(query.get('seconds') ?? SECONDS_DEFAULT);
      if (!(seconds > 0 && seconds <= SECONDS_MAX)) {
        return sendText(response, 400, `seconds must be more than 0 and at most ${SECONDS_MAX}\n`);
      }
      isBusy = true;
      try {
        const profile = await takeProfile(seconds);
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(profile);
      } finally {
        isBusy = false;
      }
    },
  };
}

async function takeProfile(seconds: number): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const { profile } = await session.post('Profiler.stop');
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}
