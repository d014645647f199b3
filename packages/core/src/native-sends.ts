/**
 * What is sent for each run, as the addon takes it: by position, numbers in one row and strings in one text. Asked for by name each
 * property is a call into the engine, and there are a hundred in every run. native/addon/link_start.cc reads in the same order.
 */
import type { Channel, PrepareMessage, StartMessage } from './native-types.js';

/** How a sandbox is made, whatever it is. */
export interface Making {
  /** With a file for an input of the program: most likely it has one. */
  spareInput: boolean;
  /** On the CPU of the slot's keeper: the other one is a program's, which has just been started. */
  oneCpu: boolean;
}

/** Bits of `PrepareRecord.flags` in native/common/record.h. */
const PREPARE_FLAGS = [
  ['loopback', 1],
  ['strict', 2],
  ['seccompKill', 4],
  ['terminal', 8],
] as const;
const MAKING_FLAGS = [
  ['spareInput', 16],
  ['oneCpu', 32],
] as const;

/** Bits of `StartRecord.flags` there. */
const START_FLAGS = [
  ['oneShot', 1],
  ['notify', 2],
  ['terminal', 4],
  ['ownGroup', 8],
  ['findFirst', 32],
  ['ahead', 64],
  ['callsKill', 128],
] as const;

/** `kStartFamilyShift` there. */
const FAMILY_SHIFT = 8;

/** Enough for nearly all; used again and again, as the addon reads them before it returns. */
let numbers = new Float64Array(512);
let count = 0;

/**
 * Makes a sandbox; our end of the channel to its init, or a negative error number. `left`: as of `Channel.prepare`.
 */
export function sendPrepare(
  channel: Channel,
  message: PrepareMessage,
  making: Making,
  left: readonly number[],
): number {
  const flags = flagsOf(message, PREPARE_FLAGS) | flagsOf(making, MAKING_FLAGS);
  return channel.prepare(flags, message.diskBytes, message.diskFileCount, left);
}

/** Starts a program; 0 or a negative error number. */
export function sendStart(channel: Channel, message: StartMessage): number {
  count = 0;
  put(flagsOf(message, START_FLAGS) | (message.family << FAMILY_SHIFT));
  put(message.programId);
  put(message.cpuLimitNs);
  put(message.wallLimitNs);
  put(message.memoryLimitBytes);
  put(message.cpuCount);
  put(message.turns);
  put(message.cols ?? 80);
  put(message.rows ?? 24);
  put(message.counterMask ?? 0);
  put(message.oomEventfd === true ? 1 : 0);
  putAll(message.fdRows);
  putAll(message.outputRows);
  putAll(message.rlimits);
  putAll(message.writeCounters);
  putAll(message.fds);
  putAll(message.joins);
  putAll(message.counters ?? []);
  put(message.paths.length);
  put(message.args.length);
  put(message.env.length);
  const text = `${message.cwd}${textsOf(message.outputPaths)}${textsOf(message.writeTexts)}${textsOf(message.paths)}${textsOf(message.args)}${textsOf(message.env)}`;
  return channel.start(numbers, count, text, message.contents, message.typed);
}

function flagsOf<Name extends string>(
  message: Readonly<Record<Name, boolean>>,
  bits: readonly (readonly [Name, number])[],
): number {
  let flags = 0;
  for (const [name, bit] of bits) if (message[name]) flags |= bit;
  return flags;
}

function put(number: number): void {
  if (count === numbers.length) {
    const more = new Float64Array(2 * count);
    more.set(numbers);
    numbers = more;
  }
  numbers[count++] = number;
}

/** How many, then each. */
function putAll(row: readonly number[]): void {
  put(row.length);
  for (const number of row) put(number);
}

/** NUL, which no string of a start may hold, goes before each. */
function textsOf(strings: readonly string[]): string {
  let text = '';
  for (const string of strings) text += `\0${string}`;
  return text;
}
