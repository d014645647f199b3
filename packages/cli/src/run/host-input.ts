/** Our own stdin, for a program's. */
import { fstatSync } from 'node:fs';
import { UsageError } from '../usage-error.js';

export interface HostInput extends AsyncIterable<Uint8Array> {
  /** Ends a read that waits for someone to type, and lets the process exit. */
  stop(): void;
}

export function hostInput(): HostInput {
  const { stdin } = process;
  refuseFolder();
  // A read that is cut off at the end of the run is no error.
  stdin.on('error', () => {});
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for await (const chunk of stdin) yield chunk as Uint8Array;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
      }
    },
    stop: () => stdin.destroy(),
  };
}

/** Node reads a folder as if it were empty, which would end as a wrong answer. */
function refuseFolder(): void {
  if (fstatSync(0).isDirectory()) throw new UsageError('stdin is a folder', 'Redirect from a file: < FILE');
}
