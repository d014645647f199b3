// A terminal with fake ends: what is typed when, where its output goes, and how its line is cut.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Native } from '../../native/native.js';
import type { PtyOptions } from '../../types/stdio.js';
import type { Inputs } from './inputs.js';
import type { Outputs } from './outputs.js';
import { Terminal } from './terminal.js';

const LINE_MAX = 4095;
const written = vi.fn((bytes: Uint8Array) => bytes.byteLength);
class Writer {
  write = written;
  close = () => undefined;
}
const native = {
  duplicateFd: (fd: number) => fd + 100,
  resizeTerminal: vi.fn(),
  closeFds: vi.fn(),
  holdLoop: () => undefined,
  releaseLoop: () => undefined,
  Writer,
};

function terminalOf(options: Partial<PtyOptions> = {}) {
  const inputs = { streams: new Map(), wait: vi.fn() };
  const outputs = { attachStream: vi.fn(), attachCapture: vi.fn(), hangUp: vi.fn() };
  const sides = { inputs: inputs as unknown as Inputs, outputs: outputs as unknown as Outputs };
  const terminal = new Terminal(native as unknown as Native, { ...options } as PtyOptions, sides);
  return { terminal, inputs, outputs };
}

beforeEach(() => void vi.clearAllMocks());

describe('what is typed', () => {
  it('goes ahead of the program up to what a line holds, and the rest once it is there', async () => {
    const { terminal } = terminalOf({ input: { text: 'x'.repeat(LINE_MAX + 3) } });
    terminal.prepare();
    expect(terminal.typedAhead.byteLength).toBe(LINE_MAX);
    expect(written).not.toHaveBeenCalled();
    terminal.attach(5, true);
    await Promise.resolve();
    expect(written.mock.calls.map(([bytes]) => bytes.byteLength)).toEqual([3]);
  });

  it('is written no second time when it fitted', async () => {
    const { terminal, inputs } = terminalOf({ input: { text: 'ls\n' } });
    terminal.prepare();
    terminal.attach(5, true);
    await Promise.resolve();
    expect(Buffer.from(terminal.typedAhead).toString()).toBe('ls\n');
    expect([written.mock.calls, inputs.wait.mock.calls]).toEqual([[], []]);
  });

  it('is nothing without input', () => {
    const { terminal } = terminalOf();
    terminal.prepare();
    expect(terminal.typedAhead.byteLength).toBe(0);
  });
});

describe('what comes out', () => {
  it('is a stream of a living program, and captured of any other', () => {
    const living = terminalOf();
    living.terminal.attach(5, true);
    expect(living.outputs.attachStream.mock.calls).toEqual([[1, 5]]);
    const awaited = terminalOf();
    awaited.terminal.attach(5, false);
    expect(awaited.outputs.attachCapture.mock.calls).toEqual([[1, 5, { maxBytes: undefined }]]);
  });

  it('is captured of a living program that asks for it, and may cut the line when it is full', () => {
    const { terminal, inputs, outputs } = terminalOf({
      capture: { maxBytes: 9, overflow: 'hangup' } as never,
    });
    terminal.attach(5, true);
    const [[target, fd, { maxBytes, onFull }]] = outputs.attachCapture.mock.calls as never as [
      [number, number, { maxBytes: number; onFull: () => void }],
    ];
    expect([target, fd, maxBytes]).toEqual([1, 5, 9]);
    const destroyed = vi.spyOn(inputs.streams.get(0), 'destroy');
    onFull();
    expect(destroyed).toHaveBeenCalledOnce();
    expect(outputs.hangUp.mock.calls).toEqual([[1]]);
    expect(native.closeFds.mock.calls).toEqual([[[105]]]);
  });
});

it('has a size between its start and its end only, and is closed once', () => {
  const { terminal } = terminalOf();
  terminal.resize(1, 1);
  terminal.attach(5, true);
  terminal.resize(80, 24);
  terminal.close();
  terminal.close();
  terminal.resize(2, 2);
  expect(native.resizeTerminal.mock.calls).toEqual([[{ fd: 105, cols: 80, rows: 24 }]]);
  expect(native.closeFds.mock.calls).toEqual([[[105]]]);
});
