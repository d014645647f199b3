// What every client may count on, asked by each kind of client in turn.
import { existsSync } from 'node:fs';
import { FifoClient } from '@sbx/fifo-client';
import type { FifoManager } from '@sbx/fifo-protocol/server';
import { describe, expect, test } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { CLIENTS, managed, obeying, shell } from '../helpers/fifo.js';
import { descendants, listProcesses } from '../helpers/proc.mjs';
import { sleep, timed, until } from '../helpers/wait.js';

const suite = useEngine();
const NEVER = [t('sleep-ms'), '60000'];
const RUNNING = 'process running normally';
const FORCED = 'process killed (forced termination)';

/** Until the manager knows that the program has ended. */
const over = (manager: FifoManager) =>
  until(2000, 'the end of the program', () => manager.reading().memoryBytes === 0);

describe.each(CLIENTS)('$name', ({ ask }) => {
  test('three lines while it runs, and the last call kills it', async () => {
    await managed(suite.engine, NEVER, async ({ dir, manager }) => {
      const [cpu, memory, status, ...rest] = await ask(dir, '1');
      expect(rest).toEqual([]);
      expect(cpu).toMatch(/^\d+$/);
      expect(Number(memory)).toBeGreaterThan(0);
      expect(status).toBe(RUNNING);
      const last = await ask(dir, '0');
      expect(last.slice(1)).toEqual(['0', FORCED]);
      expect(Number(last[0])).toBeGreaterThanOrEqual(Number(cpu));
      expect(await manager.finished).toMatchObject({ reason: 'last-call', delivered: true });
      expect(existsSync(dir)).toBe(false);
    });
  });

  test.each([
    ['exit 0', [t('exit-with'), '0'], 'process terminated normally'],
    ['exit 3', [t('exit-with'), '3'], 'process terminated with exit status 3'],
    ['signal 11', [t('die-by'), '11'], 'process interrupted by signal 11'],
  ])('after %s, again and again, before and with the last call', async (_, command, line) => {
    await managed(suite.engine, command, async ({ dir, manager }) => {
      await over(manager);
      const first = await ask(dir, '1');
      expect(first.slice(1)).toEqual(['0', line]);
      expect(await ask(dir, '1')).toEqual(first);
      expect(await ask(dir, '0')).toEqual(first);
    });
  });

  test('after a start that failed', async () => {
    await managed(suite.engine, ['/no/such/program'], async ({ dir }) => {
      for (const byte of ['1', '1', '0'] as const) {
        const [cpu, memory, status] = await ask(dir, byte);
        expect([cpu, memory]).toEqual(['0', '0']);
        expect(status).toMatch(/^process not started; There is no program "\/no\/such\/program"/);
      }
    });
  });
});

describe('line 3', () => {
  const MiB = 2 ** 20;
  test.each([
    [
      'cpu',
      [t('burn-cpu'), '60000'],
      { cpuTimeMs: 50 },
      /^process interrupted by signal 9; cpu time limit exceeded$/,
    ],
    ['wall', NEVER, { wallTimeMs: 50 }, /^process interrupted by signal 9; wall time limit exceeded$/],
    [
      'memory',
      [t('hold-memory'), 'private', `${99 * MiB}`],
      { memoryBytes: 16 * MiB },
      /; memory limit exceeded$/,
    ],
  ])('%s limit', async (_, command, limits, line) => {
    await managed(
      suite.engine,
      command,
      async ({ manager, client }) => {
        await over(manager);
        expect((await client.wait()).status).toMatch(line);
        expect((await client.terminate()).status).toMatch(line);
      },
      { sandbox: { limits } },
    );
  });

  test.each([
    [24, 'a CPU limit'],
    [25, 'a limit of files'],
    [31, 'a forbidden call'],
  ])('a program that raises signal %i itself has not met %s', async (number) => {
    const command = [t('die-by'), String(number)];
    const check = async ({ manager, client }: { manager: FifoManager; client: FifoClient }) => {
      await over(manager);
      expect((await client.wait()).status).toBe(`process interrupted by signal ${number}`);
    };
    await managed(suite.engine, command, check, { sandbox: { limits: { cpuTimeMs: 1000 } } });
  });

  test('a forbidden system call', async () => {
    const sandbox = { seccompAction: 'kill' } as const;
    const command = ['/usr/bin/python3', '-c', 'import ctypes; ctypes.CDLL(None).mount(0, 0, 0, 0, 0)'];
    const check = async ({ manager, client }: { manager: FifoManager; client: FifoClient }) => {
      await over(manager);
      expect((await client.wait()).status).toBe('process interrupted by signal 31; forbidden system call');
    };
    await managed(suite.engine, command, check, { sandbox });
  });

  test('killed by somebody else than the manager', async () => {
    await managed(suite.engine, NEVER, async ({ manager, process, client }) => {
      process!.kill();
      await over(manager);
      expect((await client.terminate()).status).toBe('process interrupted by signal 9');
    });
  });

  test('a stray byte is answered, with a complaint, once', async () => {
    await managed(suite.engine, NEVER, async ({ dir }) => {
      expect(await shell(dir, 'printf x > wait; cat status')).toMatch(
        /\nprocess running normally; unknown request 0x78 taken as "go on"\n$/,
      );
      expect(await shell(dir, 'printf 1 > wait; cat status')).toMatch(/\nprocess running normally\n$/);
    });
  });

  test('a program that stopped itself runs, and is not woken by being read', async () => {
    await managed(suite.engine, [t('stop')], async ({ client }) => {
      await sleep(50);
      for (let i = 0; i < 3; i += 1) expect((await client.wait()).status).toBe(RUNNING);
    });
  });
});

describe('requests', () => {
  test('a hundred in a row, CPU never down', async () => {
    await managed(suite.engine, [t('burn-cpu'), '60000'], async ({ client }) => {
      let before = 0;
      for (let i = 0; i < 100; i += 1) {
        const { cpuTimeUs } = await client.wait();
        expect(cpuTimeUs).toBeGreaterThanOrEqual(before);
        before = cpuTimeUs;
      }
      expect((await client.terminate()).cpuTimeUs).toBeGreaterThanOrEqual(before);
    });
  });

  test('status opened before wait', async () => {
    await managed(suite.engine, NEVER, async ({ dir }) => {
      const reply = await shell(dir, '{ sleep 0.1; printf 1 > wait; } & cat status; wait');
      expect(reply).toMatch(/^\d+\n\d+\nprocess running normally\n$/);
    });
  });

  test('a client that writes and vanishes, then one that reads', async () => {
    await managed(suite.engine, NEVER, async ({ dir, client }) => {
      await shell(dir, 'printf 1 > wait');
      await sleep(50);
      expect((await client.wait()).status).toBe(RUNNING);
      expect((await client.wait()).status).toBe(RUNNING);
    });
  });

  test('a client that reads late', async () => {
    await managed(suite.engine, NEVER, async ({ dir }) => {
      expect(await shell(dir, 'printf 1 > wait; sleep 0.7; cat status')).toMatch(/running normally\n$/);
    });
  });

  test('an open without a write is no request', async () => {
    await managed(suite.engine, NEVER, async ({ dir, client }) => {
      await shell(dir, ': > wait');
      expect((await client.wait()).status).toBe(RUNNING);
    });
  });

  test('several requests in one write: one answer at least, and a last call among them counts', async () => {
    await managed(suite.engine, NEVER, async ({ dir, manager, client }) => {
      expect(await shell(dir, 'printf 111 > wait; cat status')).toMatch(/running normally\n/);
      expect((await client.wait()).status).toBe(RUNNING);
      expect(await shell(dir, 'printf 1101 > wait; cat status')).toBe(
        `${manager.reading().cpuTimeUs}\n0\n${FORCED}\n`,
      );
    });
  });

  test('two clients at the same instant: neither hangs', async () => {
    await managed(suite.engine, NEVER, async ({ dir }) => {
      const [one, other] = [new FifoClient(dir), new FifoClient(dir)];
      for (let i = 0; i < 50; i += 1) {
        const readings = await Promise.all([one.wait(), other.wait()]);
        expect(readings.map(({ status }) => status)).toEqual([RUNNING, RUNNING]);
      }
      const both = 'a() { printf 1 > wait; cat status; }; a & a & wait';
      for (let i = 0; i < 20; i += 1) expect(await shell(dir, both)).toMatch(/running normally\n/);
    });
  });
});

describe('the last call', () => {
  test('a program that leaves within the grace has left by itself', async () => {
    const long = { graceMs: 5000 };
    await managed(
      suite.engine,
      [t('sleep-ms'), '70'],
      async ({ client }) => {
        const { value, ms } = await timed(() => client.terminate());
        expect(value.status).toBe('process terminated normally');
        expect(ms).toBeLessThan(2500);
      },
      long,
    );
  });

  test('one that ignores SIGTERM is killed, some 50 ms later', async () => {
    await managed(suite.engine, [t('deaf')], async ({ client }) => {
      const { value, ms } = await timed(() => client.terminate());
      expect(value).toMatchObject({ status: FORCED, memoryBytes: 0 });
      expect(ms).toBeGreaterThanOrEqual(45);
      expect(ms).toBeLessThan(250);
    });
  });

  test('one that has gone is answered at once', async () => {
    const long = { graceMs: 10_000 };
    await managed(
      suite.engine,
      [t('exit-with'), '0'],
      async ({ manager, client }) => {
        await over(manager);
        const { ms } = await timed(() => client.terminate());
        expect(ms).toBeLessThan(5000);
      },
      long,
    );
  });

  test('its children go with it', async () => {
    await obeying(suite.engine, async ({ client, tell }) => {
      await tell('fork');
      const children = () => listProcesses().filter(({ name }) => name === 'obey').length;
      expect(children()).toBe(2);
      await client.terminate();
      expect(children()).toBe(0);
    });
  });

  test('a reply that is never fetched is given up, and the files are gone', async () => {
    await managed(
      suite.engine,
      NEVER,
      async ({ dir, manager }) => {
        await shell(dir, 'printf 0 > wait');
        const { value, ms } = await timed(() => manager.finished);
        expect(value).toMatchObject({ delivered: false, reading: { status: FORCED } });
        expect(ms).toBeLessThan(1000);
        expect(existsSync(dir)).toBe(false);
      },
      { giveUpMs: 300 },
    );
  });

  test('who waits at status and has not asked is let go at the end', async () => {
    await managed(suite.engine, NEVER, async ({ dir, manager }) => {
      const reader = shell(dir, 'exec cat status');
      const isWaiting = () => descendants().some(({ name, state }) => name === 'cat' && state === 'S');
      await until(5000, 'a reader that waits', isWaiting);
      await manager.close();
      expect(await reader).toBe('');
    });
  });

  test('close() is a last call that nobody makes; a client that waits meanwhile is told', async () => {
    const long = { graceMs: 500 }; // time to come for the reply
    await managed(
      suite.engine,
      NEVER,
      async ({ dir, manager, client }) => {
        const [reply] = await Promise.all([
          shell(dir, 'printf 1 > wait; sleep 0.1; cat status'),
          sleep(40).then(() => manager.close()),
        ]);
        expect(reply).toMatch(/forced termination|running/);
        expect(await manager.finished).toMatchObject({ reason: 'closed' });
        await expect(client.wait()).rejects.toMatchObject({ code: 'SBX_FIFO_GONE' });
      },
      long,
    );
  });
});
