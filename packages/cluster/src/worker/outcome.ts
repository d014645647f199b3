/** Results of the engine to a message for the submitter. */
import type { EachGroupResult, GroupResult, Output, RunResult } from '@sbx/core';
import type { ContentWriter } from '../contents/writer.js';
import { encodeEnvelope } from '../wire/envelope.js';
import { wireError } from '../wire/error.js';
import type { WireOutcome, WireOutputData, WireResult } from '../wire/outcome.js';

export function errorOutcome(error: unknown): Uint8Array {
  return encodeEnvelope({ kind: 'error', error: wireError(error) } satisfies WireOutcome);
}

export async function runOutcome(result: RunResult, writer: ContentWriter): Promise<Uint8Array> {
  const outcome: WireOutcome = { kind: 'run', result: await resultOf(result, writer) };
  return encodeEnvelope(outcome, writer.chunks);
}

export async function groupOutcome(
  group: GroupResult | EachGroupResult,
  writer: ContentWriter,
): Promise<Uint8Array> {
  const results: (WireResult | null)[] = [];
  for (const result of group.results) results.push(result === null ? null : await resultOf(result, writer));
  const recordings: (WireOutputData | null)[] = [];
  for (const recording of group.recordings) {
    recordings.push(recording === null ? null : await outputOf(recording, writer));
  }
  const errors =
    'errors' in group ? group.errors.map((error) => (error === null ? null : wireError(error))) : [];
  return encodeEnvelope({ kind: 'group', results, errors, recordings } satisfies WireOutcome, writer.chunks);
}

async function resultOf(result: RunResult, writer: ContentWriter): Promise<WireResult> {
  const { status, evidence, exitCode, exitSignal, usage, fileErrors, degraded } = result;
  const outputs: WireResult['outputs'] = [];
  for (const [fd, output] of Object.entries(result.outputs)) {
    outputs.push([Number(fd), await outputOf(output, writer)]);
  }
  const files: WireResult['files'] = [];
  for (const [path, { bytes, mode, sizeBytes }] of Object.entries(result.files)) {
    files.push([path, { blob: await writer.put(bytes), mode, sizeBytes }]);
  }
  return {
    status,
    evidence,
    exitCode,
    exitSignal,
    stdout: await outputOf(result.stdout, writer),
    stderr: await outputOf(result.stderr, writer),
    outputs,
    usage: { ...usage },
    files,
    fileErrors: fileErrors.map((error) => ({ ...error })),
    degraded: degraded.map((one) => ({ ...one })),
  };
}

async function outputOf(output: Output, writer: ContentWriter): Promise<WireOutputData> {
  return { blob: await writer.put(output.bytes), totalBytes: output.totalBytes };
}
