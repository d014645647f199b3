/** Results as they came to results as an engine of this machine gives them. */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type FdSpec,
  Output,
  type OutputFile,
  ProgramError,
  type RunnerOptions,
  type RunResult,
} from '@sbx/core';
import { readBlob } from '../contents/reader.js';
import type { JobStore } from '../contents/store.js';
import type { WireOutputData, WireResult } from '../wire/outcome.js';

const NONE = new Uint8Array(0);

/** A message that a result is in. */
export interface ResultSource {
  bytes: Uint8Array;
  store: JobStore;
}

/** `options`: what the caller asked for, since descriptors are made at this end. */
export async function resultFrom(
  wire: WireResult,
  source: ResultSource,
  options: RunnerOptions,
): Promise<RunResult> {
  const { outputs, files, stdout, stderr, status, evidence, exitCode, exitSignal } = wire;
  const { usage, fileErrors, degraded } = wire;
  const wanted = new Set(
    (options.copyOut ?? []).flatMap((each) =>
      typeof each === 'object' && each.as === 'fd' ? [each.path] : [],
    ),
  );
  const result: RunResult = {
    status,
    evidence,
    exitCode,
    exitSignal,
    usage,
    fileErrors,
    degraded,
    ok: status === 'ok',
    stdout: new Output(NONE, 0),
    stderr: new Output(NONE, 0),
    outputs: {},
    files: Object.create(null),
    orThrow() {
      if (this.ok) return this;
      throw new ProgramError(this, options.limits ?? {});
    },
  };
  const fill = async () => {
    result.stdout = await outputFrom(stdout, source, collectedAs(options, 1));
    result.stderr = await outputFrom(stderr, source, collectedAs(options, 2));
    for (const [fd, output] of outputs)
      result.outputs[fd] = await outputFrom(output, source, collectedAs(options, fd));
    for (const [path, { blob, mode, sizeBytes }] of files) {
      const bytes = await readBlob(blob, source.bytes, source.store);
      result.files[path] = fileFrom({ path, mode, sizeBytes }, bytes, wanted.has(path));
    }
  };
  await fill().catch((error) => {
    dropResult(result);
    throw error;
  });
  return result;
}

export async function outputFrom(
  { blob, totalBytes }: WireOutputData,
  { bytes, store }: ResultSource,
  collected: { maxBytes: number } | null = null,
): Promise<Output> {
  const content = await readBlob(blob, bytes, store);
  if (collected === null) return new Output(content, totalBytes);
  return new Output(NONE, totalBytes, { fd: descriptorOf(content), maxBytes: collected.maxBytes });
}

/** Closes the descriptors of results that nobody gets. */
export function dropResult(result: RunResult | null): void {
  if (result === null) return;
  const all = [
    result.stdout,
    result.stderr,
    ...Object.values(result.outputs),
    ...Object.values(result.files),
  ];
  for (const fd of new Set(all.map((one) => one.fd))) if (fd !== null) closeSync(fd);
}

/** The bound where a descriptor is wanted instead of bytes. */
function collectedAs(options: RunnerOptions, fd: number): { maxBytes: number } | null {
  const named = fd === 1 ? options.stdout : fd === 2 ? options.stderr : undefined;
  const spec = options.fds?.[fd] as FdSpec | undefined;
  const output = spec !== undefined && 'output' in spec ? spec.output : named;
  if (typeof output !== 'object' || !('file' in output) || output.collect?.as !== 'fd') return null;
  return { maxBytes: output.collect.maxBytes };
}

function fileFrom(
  { path, mode, sizeBytes }: Pick<OutputFile, 'path' | 'mode' | 'sizeBytes'>,
  bytes: Uint8Array,
  asFd: boolean,
): OutputFile {
  const kept = asFd ? NONE : bytes;
  const text = () => Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength).toString('utf8');
  const toJSON = () => ({ path, mode, sizeBytes, keptBytes: kept.byteLength });
  const file = { path, mode, sizeBytes, bytes: kept, fd: asFd ? descriptorOf(bytes) : null, text, toJSON };
  return file;
}

/** A file without a name, open for reading at its start. */
function descriptorOf(bytes: Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), 'sbx-cluster-'));
  try {
    const path = join(folder, 'content');
    const writer = openSync(path, 'wx', 0o600);
    try {
      for (let at = 0; at < bytes.byteLength; ) at += writeSync(writer, bytes, at);
      return openSync(path, 'r');
    } finally {
      closeSync(writer);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
