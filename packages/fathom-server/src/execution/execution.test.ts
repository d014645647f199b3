// An execution with fakes around it: what is said in each of its lives, and that its place is given up once.
import type { RunnerProcess, RunResult } from '@sbx/core';
import type { ExecuteMessage } from '@sbx/fathom-client/wire';
import { describe, expect, test, vi } from 'vitest';
import { Execution, type Surroundings } from './execution.js';

const MESSAGE = {
  type: 'execute',
  id: 'x',
  language: 'python',
  code: '',
  limits: { timeout_ms: 1000, memory_mb: 64, max_output_bytes: 5 },
} as unknown as ExecuteMessage;
const OK = {
  status: 'ok',
  exitCode: 0,
  exitSignal: null,
  usage: { cpuTimeMs: 1, wallTimeMs: 2, memoryPeakBytes: 3, fileCacheBytes: 0, processPeakCount: 1 },
} as unknown as RunResult;

/** A program whose end and output the test decides; killed, it ends as such. */
function fakeProcess() {
  let end: (result: RunResult) => void = () => undefined;
  const result = new Promise<RunResult>((resolve) => {
    end = resolve;
  });
  const streams = ['stdout', 'stderr'].map(() => {
    let take: (bytes: Uint8Array) => unknown = () => null;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const stream = {
      each: (taker: typeof take) => {
        take = taker;
        return finished;
      },
      destroy: () => finish(),
    };
    // Like the engine's, it ends when the last piece has been taken.
    let taken: unknown;
    const write = (text: string) => {
      taken = take(Buffer.from(text));
    };
    return { stream, write, finish: () => void Promise.resolve(taken).then(finish) };
  });
  const closed = vi.fn(() => Promise.resolve());
  const exit = (how: Partial<RunResult> = {}) => {
    for (const { finish } of streams) finish();
    end({ ...OK, ...how } as RunResult);
  };
  const kill = vi.fn(() => exit({ status: 'killed', exitCode: null, exitSignal: 'SIGKILL' }));
  const process = {
    result,
    stdout: streams[0]!.stream,
    stderr: streams[1]!.stream,
    usage: () => ({ cpuTimeMs: 0 }),
    kill,
    close: closed,
  };
  return { process: process as unknown as RunnerProcess, exit, kill, closed, write: streams[0]!.write };
}

/** `grant`: there is a place. */
function admitted({
  start,
  message = MESSAGE,
}: Partial<{ start(): Promise<RunnerProcess>; message: object }> = {}) {
  const program = fakeProcess();
  const said: string[] = [];
  const texts: Record<string, unknown>[] = [];
  let grant: () => void = () => undefined;
  const ticket = { leave: vi.fn(), park: vi.fn(() => true), unpark: vi.fn() };
  const around = {
    share: {
      enter: (granted: () => void) => {
        grant = granted;
        return ticket;
      },
    },
    start: vi.fn(start ?? (async () => program.process)),
    outlet: { hasRoom: () => true, whenRoom: vi.fn((_callback: () => void) => vi.fn()) },
    send: (message: Record<string, unknown>, isLast: boolean) => {
      const what = message.status ?? message.code ?? message.data ?? '';
      texts.push(message);
      said.push(`${message.type}${what === '' ? '' : ` ${what}`}${isLast ? ' last' : ''}`);
    },
    onStart: vi.fn(),
    onEnd: vi.fn(),
    onFailure: vi.fn(),
    onDefect: vi.fn(),
  };
  const execution = Execution.admit(message as ExecuteMessage, around as unknown as Surroundings)!;
  return { execution, said, texts, grant: () => grant(), ticket, around, ...program };
}

const settled = () => new Promise(setImmediate);

test('without a place there is none', () => {
  const share = { enter: () => null };
  const send = vi.fn();
  expect(Execution.admit(MESSAGE, { share, send } as unknown as Surroundings)).toBeNull();
  expect(send).not.toHaveBeenCalled();
});

test('an ordinary life', async () => {
  const { execution, said, grant, write, exit, ticket, around, closed } = admitted();
  expect(said).toEqual(['ack']);
  grant();
  await settled();
  write('hi');
  exit();
  await execution.gone;
  expect(said).toEqual(['ack', 'status running', 'stdout hi', 'status completed', 'result last']);
  expect(around.onStart).toHaveBeenCalledOnce();
  expect(around.onStart.mock.calls[0]![0]).toBeLessThan(performance.now());
  expect(around.onEnd.mock.calls).toEqual([['completed', OK.usage.wallTimeMs]]);
  expect([ticket.leave.mock.calls.length, closed.mock.calls.length]).toEqual([1, 1]);
  expect(around.onDefect).not.toHaveBeenCalled();
});

test('without a limit of its own it may write as much as the protocol says', async () => {
  const { execution, said, grant, write, exit } = admitted({
    message: { ...MESSAGE, limits: { timeout_ms: 1000, memory_mb: 64 } },
  });
  grant();
  await settled();
  write('more than five');
  exit();
  await execution.gone;
  expect(said).toContain('stdout more than five');
});

test('its place is free when its sandbox is gone, not when its program is', async () => {
  const { execution, grant, exit, ticket, closed } = admitted();
  let close: () => void = () => undefined;
  closed.mockReturnValue(
    new Promise<void>((resolve) => {
      close = resolve;
    }),
  );
  grant();
  await settled();
  exit();
  await settled();
  expect([closed.mock.calls.length, ticket.leave.mock.calls.length]).toEqual([1, 0]);
  close();
  await execution.gone;
  expect(ticket.leave).toHaveBeenCalledOnce();
});

describe('while its client takes nothing', () => {
  /** With an output that waits for its turn; `takes`: the client goes on. */
  async function blocked() {
    const life = admitted();
    const { around } = life;
    around.outlet.hasRoom = () => false;
    let takes: () => void = () => undefined;
    around.outlet.whenRoom.mockImplementation((callback) => {
      takes = callback;
      return vi.fn();
    });
    life.grant();
    await settled();
    life.write('all');
    return { ...life, takes: () => takes() };
  }

  test('the end is told after the output, also when a cancel comes between', async () => {
    const { execution, said, exit, takes } = await blocked();
    exit();
    await settled();
    for (let times = 0; times < 2; times += 1) execution.cancel();
    expect(said).toEqual(['ack', 'status running']);
    takes();
    await execution.gone;
    const late = 'error UNKNOWN_EXECUTION last';
    expect(said.slice(2)).toEqual(['stdout all', 'status completed', 'result last', late, late]);
  });

  test('a server that ends waits for nobody', async () => {
    const { execution, said } = await blocked();
    execution.fail({ code: 'INTERNAL_ERROR', message: 'closing', retryable: true });
    await execution.gone;
    expect(said.slice(2)).toEqual(['error INTERNAL_ERROR last']);
  });

  test('its place is for others until it goes on, and nobody looks at one that has ended', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { execution, exit, takes, ticket } = await blocked();
      vi.advanceTimersByTime(1000);
      expect([ticket.park.mock.calls.length, ticket.unpark.mock.calls.length]).toEqual([1, 0]);
      takes();
      expect([ticket.park.mock.calls.length, ticket.unpark.mock.calls.length]).toEqual([1, 1]);
      exit();
      await execution.gone;
      const other = await blocked();
      other.execution.cancel();
      await other.execution.gone;
      expect([other.ticket.leave.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a cancel', () => {
  test('while it waits: it does not run, and its place is free', async () => {
    const { execution, said, around, ticket } = admitted();
    execution.cancel();
    await execution.gone;
    expect(said).toEqual(['ack', 'status cancelled', 'result last']);
    expect(around.start).not.toHaveBeenCalled();
    expect(ticket.leave).toHaveBeenCalled();
  });

  test('while its sandbox is made: the program is killed as soon as it is there, unheard', async () => {
    let made: (process: RunnerProcess) => void = () => undefined;
    const { execution, said, grant, process, kill, ticket, around } = admitted({
      start: () =>
        new Promise((resolve) => {
          made = resolve;
        }),
    });
    grant();
    execution.cancel();
    expect(said).toEqual(['ack', 'status cancelled', 'result last']);
    expect(ticket.leave).not.toHaveBeenCalled();
    made(process);
    await execution.gone;
    expect(kill).toHaveBeenCalled();
    expect(said).toHaveLength(3);
    expect(ticket.leave).toHaveBeenCalledOnce();
    expect(around.onEnd.mock.calls).toEqual([['cancelled', 0]]);
    expect(around.onStart).not.toHaveBeenCalled(); // nothing would end it
  });

  test('while it runs: what was written is delivered, and what it used is told', async () => {
    const { execution, said, texts, grant, write } = admitted();
    grant();
    await settled();
    write('a');
    write('b');
    execution.cancel();
    execution.cancel();
    await execution.gone;
    expect(said).toEqual([
      'ack',
      'status running',
      'stdout a',
      'stdout b',
      'status cancelled',
      'result last',
    ]);
    expect(texts.at(-1)).toMatchObject({ duration_ms: 2, resource_usage: { cpu_time_ms: 1 } });
  });

  test('while its client takes nothing: it gives up its turn, which would keep it in memory', async () => {
    const { execution, grant, write, around } = admitted();
    around.outlet.hasRoom = () => false;
    grant();
    await settled();
    write('a');
    execution.cancel();
    await execution.gone;
    const turns = around.outlet.whenRoom.mock.results.map(({ value }) => value);
    expect(turns).toHaveLength(1);
    expect(turns[0]).toHaveBeenCalledOnce();
  });

  test('that comes after the end is decided is answered once the end is told', async () => {
    const { execution, said, texts, grant, write } = admitted();
    grant();
    await settled();
    write('123456'); // one too many
    execution.cancel();
    await execution.gone;
    expect(said).toEqual([
      'ack',
      'status running',
      'stdout 12345',
      'error OUTPUT_LIMIT',
      'status failed',
      'result last',
      'error UNKNOWN_EXECUTION last',
    ]);
    expect(texts[3]!.message).toBe('Output exceeded max_output_bytes (5).');
  });
});

describe('what goes wrong', () => {
  test('a sandbox that cannot be made is an error, and its place is free', async () => {
    const { execution, said, grant, around, ticket } = admitted({
      start: () => Promise.reject(new Error('no')),
    });
    grant();
    await execution.gone;
    expect(said).toEqual(['ack', 'error INTERNAL_ERROR last']);
    expect(around.onFailure).toHaveBeenCalledOnce();
    expect(around.onEnd.mock.calls).toEqual([['INTERNAL_ERROR', 0]]);
    expect(ticket.leave).toHaveBeenCalled();
  });

  test('a program that was ended from outside is the server’s failure', async () => {
    const { execution, said, grant, exit } = admitted();
    grant();
    await settled();
    exit({ status: 'killed', exitCode: null });
    await execution.gone;
    expect(said).toEqual(['ack', 'status running', 'error INTERNAL_ERROR last']);
  });

  test('the server ends it: the program is killed, nothing more is said', async () => {
    const { execution, said, grant, kill, around } = admitted();
    grant();
    await settled();
    execution.fail({ code: 'INTERNAL_ERROR', message: 'closing', retryable: true });
    await execution.gone;
    expect(said).toEqual(['ack', 'status running', 'error INTERNAL_ERROR last']);
    expect(kill).toHaveBeenCalled();
    expect(around.onEnd).toHaveBeenCalledOnce();
  });
});

describe('without its connection', () => {
  test('it may end within its grace, unheard', async () => {
    const { execution, said, grant, write, exit, around, kill } = admitted();
    grant();
    await settled();
    execution.orphan(10_000);
    write('x');
    exit();
    await execution.gone;
    expect(said).toEqual(['ack', 'status running']);
    expect(kill).not.toHaveBeenCalled();
    expect(around.onEnd.mock.calls).toEqual([['orphaned', expect.any(Number)]]);
  });

  test('it may be orphaned while it is started: its start and its end are told', async () => {
    let made: (process: RunnerProcess) => void = () => undefined;
    const { execution, grant, process, around } = admitted({
      start: () =>
        new Promise((resolve) => {
          made = resolve;
        }),
    });
    grant();
    execution.orphan(0);
    made(process);
    await execution.gone;
    expect(around.onStart).toHaveBeenCalledOnce();
    expect(around.onEnd.mock.calls).toEqual([['orphaned', expect.any(Number)]]);
  });

  test('it is killed after that, at once with none, and does not start when it waited', async () => {
    const running = admitted();
    running.grant();
    await settled();
    running.execution.orphan(1);
    await running.execution.gone;
    expect(running.kill).toHaveBeenCalled();
    expect(running.around.onEnd.mock.calls).toEqual([['orphaned', 0]]);
    expect(running.around.onFailure).not.toHaveBeenCalled();
    const waiting = admitted();
    waiting.execution.orphan(0);
    expect(waiting.ticket.leave).toHaveBeenCalled();
    await waiting.execution.gone;
    expect(waiting.around.start).not.toHaveBeenCalled();
    expect(waiting.around.onEnd.mock.calls).toEqual([['orphaned', 0]]);
  });
});
