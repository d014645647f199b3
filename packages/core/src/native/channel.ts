/**
 * Sockets to helpers. What is sent to zygote, keeper and init is, as the addon takes it, a row of numbers,
 * descriptors, and strings in one text. What they report comes as one row of numbers, and what outputs hold.
 */

import type { HelperMessage, ReportedOutput } from './messages.js';
import { loadNative } from './native.js';
import {
  type MakeSocketNumbers,
  prepareBits,
  putActivate,
  putGroups,
  putMakeSocket,
  putNewSlot,
  putPrepare,
  putSignal,
  putStart,
  putStartLists,
  readEnded,
  readFailed,
  readReady,
  readSocket,
  readStarted,
  type SignalNumbers,
  startBits,
} from './records.js';
import { beginRow, finishRow, next, put, readRow } from './row.js';
import { KIND, STAGES } from './tables.js';
import type {
  ActivateMessage,
  Channel,
  CounterFds,
  CreationHints,
  PrepareMessage,
  StartMessage,
} from './types.js';

/** Stands for an output that is no descriptor. */
const NOTHING = -1;

/** Contents of the outputs that are reported as bytes, in their order. */
type Contents = readonly Uint8Array[] | undefined;

/** The row that the addon puts each report into. */
let report: Float64Array;

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
  [KIND.socket]: readSocket,
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
  report = native.report;
  return new native.Channel(fd, (contents) => onMessage(readReport(contents)), quiet);
}

/** The next message of a quiet channel, if there is one. */
export function pollMessage(channel: Channel): HelperMessage | null {
  const contents = channel.take();
  return contents === null ? null : readReport(contents);
}

/** Any other kind is the end of the channel. */
function readReport(contents: Contents): HelperMessage {
  readRow(report);
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

/**
 * A slot of its own for a keeper, whose end of its channel this hands over. 0 or a negative error number, as
 * of all of these.
 */
export function sendNewSlot(channel: Channel, slotId: number, uidBase: number, keeperEnd: number): number {
  beginRow();
  putNewSlot({ slotId, uidBase });
  return channel.newSlot(finishRow(), keeperEnd);
}

/** The cgroups of a slot. `folder`: of a v2 group, or -1. */
export function sendGroups(
  channel: Channel,
  message: CounterFds & { joins: readonly number[]; folder: number },
): number {
  beginRow();
  putGroups(message);
  return channel.groups(finishRow(), message.joins, message.counters, message.folder);
}

/**
 * Makes a sandbox; our end of the channel to its init, or a negative error number. `left`: descriptors into
 * the sandbox before, copies of which the keeper closes.
 */
export function sendPrepare(
  channel: Channel,
  message: PrepareMessage,
  hints: CreationHints,
  left: readonly number[],
): number {
  beginRow();
  put(prepareBits(message) | prepareBits(hints));
  putPrepare(message);
  return channel.prepare(finishRow(), left);
}

/** Starts a program. */
export function sendStart(channel: Channel, message: StartMessage): number {
  beginRow();
  put(startBits(message));
  putStart(message);
  putStartLists(message);
  const text = `${message.cwd}${textsOf(message.outputPaths)}${textsOf(message.writeTexts)}${textsOf(message.paths)}${textsOf(message.args)}${textsOf(message.env)}`;
  return channel.start(finishRow(), text, message.contents, message.typed);
}

/** Activates a warm process. */
export function sendActivate(channel: Channel, message: ActivateMessage): number {
  beginRow();
  putActivate(message);
  return channel.activate(finishRow());
}

export function sendSignal(channel: Channel, message: SignalNumbers): number {
  beginRow();
  putSignal(message);
  return channel.signal(finishRow());
}

/** A stream socket of the sandbox's network; a report with the same `requestId` brings it. */
export function sendMakeSocket(channel: Channel, message: MakeSocketNumbers): number {
  beginRow();
  putMakeSocket(message);
  return channel.makeSocket(finishRow());
}

/** NUL, which no string of a start may hold, goes before each. */
function textsOf(strings: readonly string[]): string {
  let text = '';
  for (const string of strings) text += `\0${string}`;
  return text;
}
