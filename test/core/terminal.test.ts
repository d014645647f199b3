// A program's terminal: its size, what is typed, what comes out, and the end of the line.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { until } from '../helpers/wait.js';

const sbx = useEngine();

describe('terminal', () => {
  it('is one for all three, with the size asked for', async () => {
    const result = await sbx.engine.run(t('show-terminal'), [], { pty: { cols: 100, rows: 30 } });
    expect(result.stdout.text()).toBe('111 100x30\r\n');
  });

  it('80 by 24 by default, TERM set', async () => {
    const result = await sbx.engine.run('/bin/sh', ['-c', `${t('show-terminal')}; echo $TERM`], { pty: {} });
    expect(result.stdout.text()).toBe('111 80x24\r\nxterm-256color\r\n');
  });

  it('none without asking', async () => {
    expect((await sbx.engine.run(t('show-terminal'))).stdout.text()).toBe('000 0x0\n');
  });

  it('tells the program of a new size', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('show-terminal'), ['1'], { pty: { cols: 80, rows: 24 } });
    let seen = '';
    for await (const event of program) {
      if (event.kind !== 'stdout') continue;
      seen += Buffer.from(event.bytes).toString();
      if (seen === '111 80x24\r\n') program.resize(132, 50);
    }
    expect(seen).toBe('111 80x24\r\n111 132x50\r\n');
  });

  it('Ctrl-C typed into it interrupts the program', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('sleep-ms'), ['60000'], { pty: {} });
    await until(2000, 'it sleeps', () => program.usage().wallTimeMs > 50);
    await program.stdin!.write('\x03');
    expect((await program.result).exitSignal).toBe('SIGINT');
  });

  it('what is typed is read', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn('/bin/sh', ['-c', 'read line; echo "got $line"'], { pty: {} });
    await program.stdin!.write('hello\n');
    let seen = '';
    for await (const event of program)
      if (event.kind === 'stdout') seen += Buffer.from(event.bytes).toString();
    expect(seen).toContain('got hello\r\n');
  });
});

it('others of its own a program has few: the machine has one budget for all', async () => {
  const script = `
import errno, os
count = 0
try:
    while True:
        os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY)
        count += 1
except OSError as error:
    print(count, errno.errorcode[error.errno])`;
  const { stdout } = await sbx.engine.run('python3', ['-c', script], { pty: {} });
  expect(stdout.text()).toBe('63 ENOSPC\r\n');
});

describe('what is typed into it from the start', () => {
  const sum = ['/bin/sh', ['-c', 'read a; read b; echo $((a + b))']] as const;

  it.each([
    ['text', { text: '1\n2\n' }],
    ['bytes', { bytes: Buffer.from('1\n2\n') }],
  ])('%s', async (_, input) => {
    const result = await sbx.engine.run(...sum, { pty: { input } });
    expect(result.stdout.text()).toBe('1\r\n2\r\n3\r\n'); // echoed as it is typed
  });

  it('a file of the host', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'sbx-test-')), 'typed');
    writeFileSync(path, '20\n22\n');
    const result = await sbx.engine.run(...sum, { pty: { input: { hostFile: path } } });
    rmSync(dirname(path), { recursive: true });
    expect(result.stdout.text()).toContain('42\r\n');
    const missing = sbx.engine.run(...sum, { pty: { input: { hostFile: path } } });
    await expect(missing).rejects.toMatchObject({ code: 'SBX_FILE_NOT_FOUND' });
  });

  it('is echoed before the program writes anything', async () => {
    const text = `${'x'.repeat(5000)}\n`; // more than a terminal takes at once
    for (const input of [{ text: 'typed\n' }, { text }]) {
      const result = await sbx.engine.run('/bin/echo', ['out'], { pty: { input } });
      expect(result.stdout.text()).toMatch(/^(typed|x{100})/);
    }
  });

  it('no end of file follows, unless it is typed', async () => {
    const limits = { wallTimeMs: 150 };
    const waiting = await sbx.engine.run('/bin/cat', [], { pty: { input: { text: 'x\n' } }, limits });
    expect([waiting.status, waiting.stdout.text()]).toEqual(['wall-limit', 'x\r\nx\r\n']);
    const ended = await sbx.engine.run('/bin/cat', [], { pty: { input: { text: 'x\n\x04' } } });
    expect(ended.status).toBe('ok');
  });

  it('more than a terminal holds waits until it is read', async () => {
    const text = `${'0123456789'.repeat(20)}\n`.repeat(1000);
    const script = `stty -echo; while read line; do n=$((n + 1)); [ $n = 1000 ] && echo $n && exit; done`;
    const result = await sbx.engine.run('/bin/sh', ['-c', script], { pty: { input: { text } } });
    expect(result.stdout.text()).toMatch(/1000\r\n$/);
  });

  it('before what a living one is told', async () => {
    await using program = await sbx.engine.spawn(...sum, { pty: { input: { text: '4\n' } } });
    await program.stdin!.write('5\n');
    expect(await program.stdout!.text()).toContain('9\r\n');
  });
});

describe('its output, collected', () => {
  it('by a living program that is typed to', async () => {
    const script = 'read line; echo "got $line"';
    const pty = { capture: { maxBytes: 1000 } };
    await using program = await sbx.engine.spawn('/bin/sh', ['-c', script], { pty });
    expect(program.stdout).toBeNull();
    await program.stdin!.write('it\n');
    expect((await program.result).stdout.text()).toBe('it\r\ngot it\r\n');
  });

  it('a bound of its own: over it, killed', async () => {
    const result = await sbx.engine.run(t('flood'), ['1', '0'], { pty: { capture: { maxBytes: 100 } } });
    expect([result.status, result.stdout.bytes.byteLength]).toEqual(['output-limit', 100]);
  });

  const hangup = { capture: { maxBytes: 100, overflow: 'hangup' } } as const;

  it('within the bound nothing is hung up', async () => {
    const result = await sbx.engine.run(t('flood'), ['1', '64'], { pty: hangup });
    expect([result.status, result.stdout.totalBytes]).toEqual(['ok', 65]); // the line feed became two
  });

  it('over it the line is cut: SIGHUP', async () => {
    let seen = 0;
    const onStdout = (chunk: Uint8Array) => {
      seen += chunk.byteLength;
    };
    const result = await sbx.engine.run(t('flood'), ['1', '0'], { pty: hangup, onStdout });
    expect([result.status, result.exitSignal]).toEqual(['signal', 'SIGHUP']);
    expect([result.stdout.bytes.byteLength, result.stdout.truncated, seen]).toEqual([100, true, 100]);
  });

  it('over it the line is cut: EIO for who writes and end of file for who reads, whoever ignores the signal', async () => {
    const script = `trap '' HUP; ${t('flood')} 1 0 2>error; echo $? >code; cat >read; echo $? >>code; exit 3`;
    const options = { pty: { ...hangup, input: { text: 'typed\n' } }, copyOut: ['error', 'code', 'read'] };
    const result = await sbx.engine.run('/bin/sh', ['-c', script], options);
    expect([result.status, result.exitCode]).toEqual(['exit', 3]);
    expect(
      Object.fromEntries(Object.entries(result.files).map(([name, file]) => [name, file.text()])),
    ).toEqual({
      error: 'EIO\n',
      code: '1\n0\n',
      read: '',
    });
  });

  it('a line that was cut has no size, and nothing can be typed', async () => {
    const script = `trap '' HUP; ${t('flood')} 1 0; exec sleep 60`;
    await using program = await sbx.engine.spawn('/bin/sh', ['-c', script], { pty: hangup });
    const { stdin } = program;
    await until(2000, 'the line is cut', async () => {
      return (
        (await stdin!.write('x').then(
          () => null,
          (error) => error.code,
        )) === 'SBX_STREAM_ENDED'
      );
    });
    program.resize(10, 10);
  });
});

describe('its looks', () => {
  it('0 by 0', async () => {
    const result = await sbx.engine.run(t('show-terminal'), [], { pty: { cols: 0, rows: 0 } });
    expect(result.stdout.text()).toBe('111 0x0\r\n');
  });

  it('no TERM', async () => {
    const variables = async (pty: object, env?: Record<string, string>) =>
      (await sbx.engine.run('/usr/bin/env', [], { pty, env })).stdout.text();
    expect(await variables({ term: null })).not.toContain('TERM');
    expect(await variables({ term: null }, { TERM: 'mine' })).toContain('TERM=mine');
    expect(await variables({})).toContain('TERM=xterm-256color');
  });

  it('a new size after the end is nobody’s', async () => {
    const program = await sbx.engine.spawn(t('show-terminal'), [], { pty: {} });
    await program.result;
    program.resize(10, 10);
    await program.close();
    expect(() => program.resize(-1, 10)).toThrow(expect.objectContaining({ code: 'SBX_INVALID_OPTIONS' }));
  });
});
