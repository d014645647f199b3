/**
 * Sockets to helpers, and what these report: the addon puts each report into one row of numbers, and says
 * what outputs hold.
 */

import type { HelperMessage, ReportedOutput } from './messages.js';
import { loadNative } from './native.js';
import { readEnded, readFailed, readReady, readStarted } from './records.js';
import { next, readRow } from './row.js';
import { KIND, STAGES } from './tables.js';
import type { Channel } from './types.js';

/** Stands for an output that is no descriptor. */
const NOTHING = -1;

/** Contents of the outputs that are reported as bytes, in their order. */
type Contents = readonly Uint8Array[] | undefined;

const TEXTS = new Map<string, string>(STAGES);

const READERS: Readonly<Record<number, (contents: Contents) => HelperMessage>> = {
  [KIND.ended]: (contents) => {
    const ended = readEnded();
    return {
      ...ended,
      outputs: ended.outputCount > 0 ? readOutputs(ended.outputCount, contents) : undefined,
    };
  },
  [KIND.ready]: readReady,
  [KIND.started]: readStarted,
  [KIND.failed]: () => {
    const { errorNumber: errno, ...failed } = readFailed();
    return { ...failed, errno, stageText: TEXTS.get(failed.stage)! };
  },
};

/**
 * Our end of a socket to a helper. `quiet`: as of `Channel.listen`. Throws `SbxError` where the kernel
 * refuses to watch it.
 */
export function openChannel(fd: number, onMessage: (message: HelperMessage) => void, quiet = false): Channel {
  const { native } = loadNative();
  return new native.Channel(fd, (contents) => onMessage(readReport(contents)), quiet);
}

/** The next message of a quiet channel, if there is one. */
export function pollMessage(channel: Channel): HelperMessage | null {
  const contents = channel.take();
  return contents === null ? null : readReport(contents);
}

/** Any other kind is the end of the channel. */
function readReport(contents: Contents): HelperMessage {
  readRow(loadNative().native.report);
  return READERS[next()]?.(contents) ?? { kind: 'closed' };
}

function readOutputs(outputCount: number, contents: Contents): ReportedOutput[] {
  const outputs: ReportedOutput[] = [];
  let taken = 0;
  for (let index = 0; index < outputCount; index += 1) {
    const output = next();
    if (output >= 0) outputs.push(output);
    else outputs.push(output === NOTHING ? null : contents![taken++]!);
  }
  return outputs;
}
