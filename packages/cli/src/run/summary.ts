import type { RunResult } from '@sbx/core';
import type { Paint } from '../terminal.js';
import { formatDuration, formatSize } from '../units.js';

/** `ok, exit code 0 · cpu 12.3 ms · wall 20.1 ms · memory 5.1 MiB · 1 process` */
export function summaryOf(result: RunResult, paint: Paint): string {
  const { status, ok, exitCode, exitSignal, usage } = result;
  const end = exitSignal === null ? `exit code ${exitCode}` : exitSignal;
  const parts = [
    `${paint(ok ? 'green' : 'red', status)}, ${end}`,
    `cpu ${formatDuration(usage.cpuTimeMs)}`,
    `wall ${formatDuration(usage.wallTimeMs)}`,
  ];
  if (usage.memoryPeakBytes !== null) parts.push(`memory ${formatSize(usage.memoryPeakBytes)}`);
  if (usage.processPeakCount !== null) parts.push(countText(usage.processPeakCount));
  return parts.join(' · ');
}

function countText(count: number): string {
  return `${count} ${count === 1 ? 'process' : 'processes'}`;
}
