import type { Degradation, FileError, Output, RunResult, Status, Usage } from '@sbx/core';

interface OutputJson {
  text: string;
  /** The bytes, when `text` cannot stand for them because they are not UTF-8; else `null`. */
  base64: string | null;
  truncated: boolean;
  droppedBytes: number;
  totalBytes: number;
}

export interface ResultJson {
  status: Status;
  ok: boolean;
  exitCode: number | null;
  exitSignal: string | null;
  stdout: OutputJson;
  stderr: OutputJson;
  usage: Usage;
  degraded: readonly Degradation[];
  fileErrors: readonly FileError[];
}

/** A result as plain data. */
export function describeResult(result: RunResult): ResultJson {
  const { status, ok, exitCode, exitSignal, stdout, stderr, usage, degraded, fileErrors } = result;
  const outputs = { stdout: describeOutput(stdout), stderr: describeOutput(stderr) };
  return { status, ok, exitCode, exitSignal, ...outputs, usage, degraded, fileErrors };
}

function describeOutput(output: Output): OutputJson {
  const { bytes, truncated, droppedBytes, totalBytes } = output;
  const text = output.text();
  const isExact = Buffer.from(text).equals(bytes);
  const base64 = isExact ? null : Buffer.from(bytes).toString('base64');
  return { text, base64, truncated, droppedBytes, totalBytes };
}
