/** Core's result → what a model reads. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { RunResult, Usage } from '@sbx/core';
import type { ShownText } from '../shown-text.js';
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
    ...shownFields({ stdout, stderr, usage }),
    note,
  };
}

interface ShownParts {
  stdout: ShownText;
  stderr: ShownText;
  usage: Usage;
}

/** What every result says of output and usage. */
export function shownFields({ stdout, stderr, usage }: ShownParts) {
  const { cpuTimeMs, wallTimeMs, memoryPeakBytes } = usage;
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    cut: { stdoutBytes: stdout.cutBytes, stderrBytes: stderr.cutBytes },
    cpuTimeMs,
    wallTimeMs,
    memoryPeakBytes,
  };
}

/** The verdict first: it is what a model must not overlook. */
function textOf(fields: ProgramResult): string {
  const { verdict, stage } = fields;
  const end = endText(verdict, fields);
  const head = `${stage === 'compile' ? 'did not compile: ' : ''}${end} · ${usageText(fields)}`;
  return [head, ...outputLines(fields)].join('\n');
}

export function endText(
  verdict: string,
  { exitCode, exitSignal }: Pick<ProgramResult, 'exitCode' | 'exitSignal'>,
): string {
  return `${verdict}, ${exitSignal ?? `exit code ${exitCode}`}`;
}

/** What the text of a result says below its first line. */
export function outputLines(fields: Pick<ProgramResult, 'stdout' | 'stderr' | 'cut' | 'note'>): string[] {
  const { cut, note } = fields;
  const lines = [];
  if (cut.stdoutBytes > 0) lines.push(`stdout: ${cut.stdoutBytes} bytes are left out`);
  if (cut.stderrBytes > 0) lines.push(`stderr: ${cut.stderrBytes} bytes are left out`);
  if (note !== null) lines.push(note);
  for (const name of ['stdout', 'stderr'] as const) {
    if (fields[name] !== '') lines.push(`--- ${name} ---`, fields[name].replace(/\n$/, ''));
  }
  return lines;
}

export function usageText(
  usage: Pick<ProgramResult, 'cpuTimeMs' | 'wallTimeMs' | 'memoryPeakBytes'>,
): string {
  const { cpuTimeMs, wallTimeMs, memoryPeakBytes } = usage;
  const times = `cpu ${cpuTimeMs.toFixed(1)} ms · wall ${wallTimeMs.toFixed(1)} ms`;
  return memoryPeakBytes === null
    ? times
    : `${times} · peak memory ${(memoryPeakBytes / MiB).toFixed(1)} MiB`;
}
