import { memoryUsage } from 'node:process';
import { describe, expect, it } from 'vitest';
import type { Native } from '../native/native.js';
import { Process } from '../public/process.js';
import { OutputStream } from './output-stream.js';

/** A stream, and what the addon tells it; `held`: how often the loop is held. */
function output() {
  const loop = { held: 0, isPaused: false };
  const asked: string[] = [];
  const told: { onData?: (chunk: Uint8Array) => void; onEnd?: () => void } = {};
  const native = {
    Reader: class {
      constructor(_fd: number, handlers: typeof told) {
        Object.assign(told, handlers);
      }
      pause() {
        loop.isPaused = true;
      }
      resume() {
        loop.isPaused = false;
      }
      endSoon() {
        asked.push('endSoon');
      }
      close() {}
    },
    holdLoop: () => void loop.held++,
    releaseLoop: () => void loop.held--,
  } as unknown as Native;
  const stream = OutputStream.make(native, 0);
  const write = (bytes: string | Uint8Array) =>
    told.onData!(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  return { stream, loop, asked, write, end: () => told.onEnd!() };
}

it('small chunks count with what they cost, and a program that writes them waits', async () => {
  const { stream, loop, write, end } = output();
  for (let count = 0; count < 1000; count++) write('x');
  expect(loop.isPaused).toBe(false);
  for (let count = 0; count < 100; count++) write('x');
  expect(loop.isPaused).toBe(true);
  const text = stream.text();
  await turn();
  expect(loop.isPaused).toBe(false);
  end();
  expect(await text).toBe('x'.repeat(1100));
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('lines', () => {
  it('go on from chunk to chunk; what follows a line stays', async () => {
    const { stream, write, end } = output();
    for (const chunk of ['a', 'b\nc', '', '\n\nd\nleft', ' over']) write(chunk);
    const seen: string[] = [];
    for await (const line of stream.lines()) if (seen.push(line) === 4) break;
    expect(seen).toEqual(['ab', 'c', '', 'd']);
    end();
    expect(await stream.text()).toBe('left over');
  });

  it('one that never ends costs no more per byte than others', async () => {
    const { stream, write, end } = output();
    const chunk = new Uint8Array(64 * 1024).fill(0x61);
    const length = async () => (await stream.lines().next()).value?.length;
    const startedAt = performance.now();
    const line = length();
    // The whole line copied for each chunk of it took 20 s.
    for (let count = 0; count < 1024; count++) {
      write(chunk);
      if (count % 16 === 0) await turn();
    }
    end();
    expect(await line).toBe(64 * 2 ** 20);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  it.each(['lines', 'text'] as const)('%s longer than a string are an error of ours', async (how) => {
    const { stream, write } = output();
    const chunk = new Uint8Array(2 ** 28); // never touched, so that it stays virtual
    const read = how === 'text' ? stream.text() : stream.lines().next();
    read.catch(() => undefined);
    for (let count = 0; count < 3; count++) write(chunk);
    await expect(read).rejects.toMatchObject({ code: 'SBX_STREAM_TEXT_TOO_LONG' });
  });
});

describe('each', () => {
  it('takes a function, which need not return anything', async () => {
    const { stream, write, end } = output();
    await expect(stream.each(5 as never)).rejects.toMatchObject({
      code: 'SBX_INVALID_OPTIONS',
      field: 'take',
    });
    write('a');
    end();
    await expect(stream.each((() => undefined) as never)).resolves.toBeUndefined();
  });
});

describe('a process iterated', () => {
  const living = () => {
    const [out, err] = [output(), output()];
    const stdio = {
      inputs: new Map(),
      outputs: new Map([
        [1, out.stream],
        [2, err.stream],
      ]),
    };
    const process = Process.make({ id: 1, stdio } as never, Promise.resolve('over' as never));
    return { out, err, process };
  };

  it('gives both streams, then the end', async () => {
    const { out, err, process } = living();
    const seen: string[] = [];
    const over = (async () => {
      for await (const event of process)
        seen.push(event.kind === 'exit' ? String(event.result) : `${event.kind} ${Buffer.from(event.bytes)}`);
    })();
    out.write('a');
    await turn();
    err.write('b');
    out.end();
    await turn();
    err.write('c');
    err.end();
    await over;
    expect(seen).toEqual(['stdout a', 'stderr b', 'stderr c', 'over']);
    expect([out.loop.held, err.loop.held]).toEqual([0, 0]);
  });

  it('gives its streams back when it is left: nothing is lost, nothing held', async () => {
    const { out, err, process } = living();
    out.write('a');
    for await (const _ of process) break;
    expect([out.loop.held, err.loop.held]).toEqual([0, 0]);
    out.write('b');
    for await (const event of process) {
      expect(event).toMatchObject({ kind: 'stdout', bytes: Buffer.from('b') });
      break;
    }
    out.write('c');
    out.end();
    expect(await out.stream.text()).toBe('c');
  });

  it('lets go of a stream that it took when it cannot have the other', async () => {
    const { out, err, process } = living();
    const reading = err.stream.text();
    const iterating = process[Symbol.asyncIterator]().next();
    await expect(iterating).rejects.toMatchObject({ code: 'SBX_STREAM_BUSY' });
    err.end();
    out.end();
    expect([await reading, await out.stream.text()]).toEqual(['', '']);
  });

  it('keeps nothing for the chunks of one stream while the other is quiet', async () => {
    const { out, process } = living();
    const { setFlagsFromString } = await import('node:v8');
    const { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const events = process[Symbol.asyncIterator]();
    const chunk = Buffer.from('x');
    const read = async (count: number) => {
      for (let left = count; left > 0; left--) {
        const next = events.next();
        out.write(chunk);
        await next;
      }
      gc();
    };
    await read(1000);
    const before = memoryUsage().heapUsed;
    await read(50_000);
    expect(memoryUsage().heapUsed - before).toBeLessThan(4 * 2 ** 20); // 16 MiB with a race for each
  });
});

it('a program that is dead has the reader end soon, once it has not ended', () => {
  const { stream, asked, end } = output();
  stream.endSoon();
  end();
  stream.endSoon();
  expect(asked).toEqual(['endSoon']);
});
