/**
 * Sockets to helpers, and what these say: the addon puts each report into one row of numbers, which is read here in the order in
 * which native/addon/encode.cc writes it, before the next one comes.
 */
import {
  type Channel,
  type EndedMessage,
  type HelperMessage,
  loadNative,
  type ReportedOutput,
} from './native.js';

/** `Kind` of native/common/record.h. What is none of them is the end. */
const READY = 64;
const FAILED = 65;
const STARTED = 66;
const ENDED = 67;

/** What stands for an output that is no descriptor. */
const NOTHING = -1;

/** What outputs hold that is told as bytes, in their order. */
type Contents = readonly Uint8Array[] | undefined;

/** Our end of a socket to a helper. `quiet`: as of `Channel.listen`. Throws `SbxError` where the kernel refuses to watch it. */
export function openChannel(fd: number, onMessage: (message: HelperMessage) => void, quiet = false): Channel {
  const { native } = loadNative();
  return new native.Channel(fd, (contents) => onMessage(readReport(contents)), quiet);
}

/** The next message of a quiet channel, if there is one. */
export function takeMessage(channel: Channel): HelperMessage | null {
  const contents = channel.take();
  return contents === null ? null : readReport(contents);
}

let row: Float64Array = new Float64Array(0);
let at = 0;

function readReport(contents: Contents): HelperMessage {
  const { native } = loadNative();
  row = native.report;
  at = 0;
  const kind = next();
  if (kind === ENDED) return readEnded(contents);
  if (kind === READY) return { kind: 'ready', heldBytes: figure(), fds: readFds() };
  if (kind === STARTED) return { kind: 'started', programId: next(), pid: next(), fds: readFds() };
  if (kind !== FAILED) return { kind: 'closed' };
  const programId = next();
  const stage = next();
  const { stages, stageTexts } = native.constants;
  return {
    kind: 'failed',
    programId,
    stage: stages[stage] ?? 'none',
    stageText: stageTexts[stage] ?? '',
    index: next(),
    errno: next(),
  };
}

/** In the order of `EndedRecord`. */
function readEnded(contents: Contents): EndedMessage {
  const ended: EndedMessage = {
    kind: 'ended',
    programId: next(),
    waitStatus: next(),
    cause: loadNative().native.constants.causes[next()] ?? 'none',
    cpuNs: figure(),
    wallNs: next(),
    memoryPeakBytes: figure(),
    fileCacheBytes: figure(),
    oomKillCount: next(),
    taskPeak: figure(),
    taskPeakBefore: figure(),
    maxRssBytes: next(),
    outputs: undefined,
  };
  const outputCount = next();
  if (outputCount > 0) ended.outputs = readOutputs(outputCount, contents);
  return ended;
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

function readFds(): number[] {
  const fds: number[] = [];
  for (let left = next(); left > 0; left -= 1) fds.push(next());
  return fds;
}

function next(): number {
  return row[at++]!;
}

/** `null`: nothing could measure it. */
function figure(): number | null {
  const number = next();
  return number < 0 ? null : number;
}
