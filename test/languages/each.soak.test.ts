// The same programs in every built-in language, for real.
import { compile, languages, runArtifact, runCode } from '@sbx/languages';
import { describe, expect, test } from 'vitest';
import { useEngine } from '../helpers/engine.js';
import { isSkipped, reportOf } from './installed.js';
import { PROGRAMS } from './programs.js';

const use = useEngine();
/** Compilers are slow when several run at once on a small machine. */
const SLOW_MS = 120_000;

test('every built-in language is tested here', () => {
  const names = languages.list().map((language) => language.name);
  expect(Object.keys(PROGRAMS).sort()).toEqual([...names].sort());
});

describe.each(languages.list().map((language) => [language.name, language] as const))(
  '%s',
  (name, language) => {
    const row = PROGRAMS[name]!;
    const run = (code: string, options = {}) =>
      runCode({ engine: use.engine, language: name, code, ...options });
    const options = { timeout: SLOW_MS };

    describe.skipIf(isSkipped(name))('installed', () => {
      test('is reported as available, with a version', options, () => {
        const report = reportOf(name)!;
        expect(report).toMatchObject({ available: true, reason: null });
        if (language.version !== undefined) expect(report.version).toMatch(/^\d+\.\d+/);
      });

      test('hello', options, async () => {
        const result = await run(row.hello);
        expect(result.stderr.text()).toBe('');
        expect(result).toMatchObject({ stage: 'run', status: 'ok', exitCode: 0, language: name });
        expect(result.stdout.text()).toBe('hello\n');
        expect(result.compile === null).toBe(language.compile === undefined);
        expect(result.usage.cpuTimeMs).toBeGreaterThan(0);
        expect(result.usage.memoryPeakBytes).toBeGreaterThan(0);
      });

      test('runs under the strict filter, with the calls of its family', options, async () => {
        expect(language.seccompFamily).toBeDefined();
        const stdin = { text: 'one\n' };
        // The strict filter itself kills Erlang, which does without what it is refused.
        const seccompAction = name === 'elixir' ? 'errno' : 'kill';
        const result = await run(row.echo, { seccomp: 'strict', seccompAction, stdin, args: ['a'] });
        expect([result.stderr.text(), result.status]).toEqual(['', 'ok']);
        expect(result.stdout.text()).toBe('a\n[one]\n');
      });

      test('input and arguments, many times from one artifact', options, async () => {
        const compilation = await compile({ engine: use.engine, language: name, code: row.echo });
        if (!compilation.ok) throw new Error(compilation.result.stderr.text());
        for (const word of ['one', 'two']) {
          const stdin = { text: `${word}\nand more\n` };
          const result = await runArtifact(compilation.artifact, {
            engine: use.engine,
            stdin,
            args: ['-x', 'a b'],
          });
          expect(result.stdout.text()).toBe(`-x\na b\n[${word}]\n[and more]\n`);
          expect(result.status).toBe('ok');
        }
      });

      test('its exit code is passed on', options, async () => {
        expect(await run(row.fail)).toMatchObject({ stage: 'run', status: 'exit', exitCode: 3 });
      });

      test('what cannot be understood', options, async () => {
        const result = await run(row.broken);
        const isCompiled = language.compile !== undefined;
        expect(result).toMatchObject({ stage: isCompiled ? 'compile' : 'run', status: 'exit', ok: false });
        expect(result.run === null).toBe(isCompiled);
        expect(result.stdout.text() + result.stderr.text()).toMatch(row.complaint);
      });

      test('an endless loop meets the CPU limit', options, async () => {
        const result = await run(row.loop, { limits: { cpuTimeMs: 900, wallTimeMs: 30_000 } });
        expect(result).toMatchObject({ stage: 'run', status: 'cpu-limit' });
        expect(result.usage.cpuTimeMs).toBeGreaterThanOrEqual(899);
        expect(result.usage.cpuTimeMs).toBeLessThan(1200);
      });
    });
  },
);
