import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FIFO_ERROR_CODES, FifoError, isFifoError } from './errors.js';
import { encodeLegacyReply } from './legacy.js';
import { describeState, type ProcessState, parseStatus, STATUS_REMARKS } from './state.js';

const page = readFileSync(new URL('../../../docs/protocols/fifo.md', import.meta.url), 'utf8');

const LINES: [ProcessState, readonly string[], string][] = [
  [{ kind: 'starting' }, [], 'process starting'],
  [{ kind: 'running' }, [], 'process running normally'],
  [{ kind: 'exited', exitStatus: 0 }, [], 'process terminated normally'],
  [{ kind: 'exited', exitStatus: 3 }, [], 'process terminated with exit status 3'],
  [{ kind: 'interrupted', signal: 11 }, [], 'process interrupted by signal 11'],
  [{ kind: 'forced' }, [], 'process killed (forced termination)'],
  [
    { kind: 'interrupted', signal: 9 },
    ['memory limit exceeded'],
    'process interrupted by signal 9; memory limit exceeded',
  ],
  [{ kind: 'not-started' }, ['compilation failed'], 'process not started; compilation failed'],
  [{ kind: 'lost' }, ['a', 'b'], 'process lost; a; b'],
];

describe('line 3', () => {
  it.each(LINES)('%o %o', (state, remarks, line) => {
    expect(describeState(state, remarks)).toBe(line);
    expect(parseStatus(line)).toEqual({ state, remarks });
  });

  it('of another manager has no state', () => {
    expect(parseStatus('exited with status 3; really')).toEqual({ state: null, remarks: ['really'] });
    expect(parseStatus('')).toEqual({ state: null, remarks: [] });
  });

  it('stands in the docs, with every remark and every error code', () => {
    const words = LINES.map(([state]) => describeState(state).replace(/\d+$/, '')).concat(
      Object.values(STATUS_REMARKS),
    );
    expect(words.filter((text) => !page.includes(text))).toEqual([]);
    const rows = Object.entries(FIFO_ERROR_CODES).map(
      ([code, { meaning }]) => `| \`${code}\` | ${meaning} |`,
    );
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  });
});

describe('the layout of 2018', () => {
  const texts = (status: string) =>
    encodeLegacyReply({ cpuTimeUs: 1_234_567, memoryBytes: 42, status }).map((bytes) =>
      new TextDecoder().decode(bytes),
    );

  it.each([
    ['process running normally', 'RUNNING', ''],
    ['process terminated normally', 'TERMINATED_SUCCESSFULLY', ''],
    ['process killed (forced termination)', 'TERMINATED_SUCCESSFULLY', ''],
    [
      'process terminated with exit status 1',
      'TERMINATED_WITH_ERROR',
      'process terminated with exit status 1',
    ],
    [
      'process not started; compilation failed',
      'TERMINATED_WITH_ERROR',
      'process not started; compilation failed',
    ],
  ])('%s', (status, name, error) => expect(texts(status)).toEqual([name, '1.234567', '42', error]));
});

describe('errors', () => {
  it('are known by a brand, and go into JSON without a stack', () => {
    const error = new FifoError({ code: 'SBX_FIFO_TIMEOUT', message: 'm', details: { a: 1 } });
    expect(isFifoError(error)).toBe(true);
    expect(isFifoError(new Error('SBX_FIFO_TIMEOUT'))).toBe(false);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'FifoError',
      code: 'SBX_FIFO_TIMEOUT',
      message: 'm',
      retryable: true,
      details: { a: 1 },
    });
  });
});
