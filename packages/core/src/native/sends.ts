/**
 * Messages to zygote, keeper and init, as the addon takes them: a row of numbers, descriptors, strings in one
 * text.
 */
import {
  prepareBits,
  putActivate,
  putGroups,
  putNewSlot,
  putPrepare,
  putSignal,
  putStart,
  putStartLists,
  type SignalNumbers,
  startBits,
} from './records.js';
import { beginRow, finishRow, put } from './row.js';
import type {
  ActivateMessage,
  Channel,
  CounterFds,
  CreationHints,
  PrepareMessage,
  StartMessage,
} from './types.js';

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

/** NUL, which no string of a start may hold, goes before each. */
function textsOf(strings: readonly string[]): string {
  let text = '';
  for (const string of strings) text += `\0${string}`;
  return text;
}
