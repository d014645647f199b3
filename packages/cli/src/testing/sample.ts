/** Results for unit tests. */
import type { Output, RunResult } from '@sbx/core';

export function sampleResult(changes: Partial<RunResult> = {}): RunResult {
  const status = changes.status ?? 'ok';
  return {
    status,
    evidence: status,
    ok: status === 'ok',
    exitCode: 0,
    exitSignal: null,
    stdout: sampleOutput(''),
    stderr: sampleOutput(''),
    outputs: {},
    usage: {
      cpuTimeMs: 12.34,
      wallTimeMs: 1234.5,
      memoryPeakBytes: 5_347_737,
      fileCacheBytes: null,
      processPeakCount: 1,
    },
    files: {},
    fileErrors: [],
    degraded: [],
    orThrow() {
      return this;
    },
    ...changes,
  };
}

export function sampleOutput(content: string | Uint8Array): Output {
  const bytes = Buffer.from(content);
  const facts = { bytes, text: () => bytes.toString('utf8'), truncated: false, droppedBytes: 0 };
  return { ...facts, totalBytes: bytes.length } as unknown as Output;
}
