/** Core's result → what a model reads. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { RunResult } from '@sbx/core';
import type { ProgramResult } from './schemas.js';
import { show } from './shown.js';

export interface Told {
  sandbox: string | null;
  stage: 'compile' | 'run';
  note: string | null;
  shownBytesMax: number;
}

const MiB = 2 ** 20;

export function programToolResult(result: RunResult, told: Told): CallToolResult {
  const structuredContent = fieldsOf(result, told);
  return { content: [{ type: 'text', text: textOf(structuredContent) }], structuredContent };
}

function fieldsOf(result: RunResult, { sandbox, stage, note, shownBytesMax }: Told): ProgramResult {
  const { status, exitCode, exitSignal, usage } = result;
  const stdout = show(result.stdout, shownBytesMax);
  const stderr = show(result.stderr, shownBytesMax);
  return {
    sandbox,
    verdict: status,
    stage,
    exitCode,
    exitSignal,
    stdout: stdout.text,
    stderr: stderr.text,
    cut: { stdoutBytes: stdout.cutBytes, stderrBytes: stderr.cutBytes },
    cpuTimeMs: usage.cpuTimeMs,
    wallTimeMs: usage.wallTimeMs,
    memoryPeakBytes: usage.memoryPeakBytes,
    note,
  };
}

/** The verdict first: it is what a model must not overlook. */
function textOf(fields: ProgramResult): string {
  const { verdict, stage, exitCode, exitSignal, cut, note } = fields;
  const end = exitSignal ?? `exit code ${exitCode}`;
  const lines = [`${stage === 'compile' ? 'did not compile: ' : ''}${verdict}, ${end} · ${usageOf(fields)}`];
  if (cut.stdoutBytes > 0) lines.push(`stdout: ${cut.stdoutBytes} bytes are left out`);
  if (cut.stderrBytes > 0) lines.push(`stderr: ${cut.stderrBytes} bytes are left out`);
  if (note !== null) lines.push(note);
  for (const name of ['stdout', 'stderr'] as const) {
    if (fields[name] !== '') lines.push(`--- ${name} ---`, fields[name].replace(/\n$/, ''));
  }
  return lines.join('\n');
}

function usageOf({ cpuTimeMs, wallTimeMs, memoryPeakBytes }: ProgramResult): string {
  const times = `cpu ${cpuTimeMs.toFixed(1)} ms · wall ${wallTimeMs.toFixed(1)} ms`;
  return memoryPeakBytes === null
    ? times
    : `${times} · peak memory ${(memoryPeakBytes / MiB).toFixed(1)} MiB`;
}
