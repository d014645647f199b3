// The built types, as the strictest project sees them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from './sources.js';

/** What the compiler says of a program that stands in this checkout. */
function complaintsOf(source: string): string[] {
  const folder = mkdtempSync(join(root, 'test/tidy/.types-'));
  try {
    const file = join(folder, 'program.mts');
    writeFileSync(file, source);
    const program = ts.createProgram([file], {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('streams that were asked for as pipes are there, others may not be', { timeout: 120_000 }, () => {
  const complaints = complaintsOf(`
    import { type Engine, Sandbox } from '@sbx/core';
    declare const engine: Engine;
    await using sandbox = await Sandbox.create();
    for (const piped of [
      await sandbox.spawn('cat', [], { stdin: 'pipe', stdout: 'pipe' }),
      await engine.spawn('cat', [], { stdin: 'pipe', stdout: 'pipe' }),
    ]) {
      await piped.stdin.write('x');
      await piped.stdout.text();
      // @ts-expect-error not asked for
      await piped.stderr.text();
    }
    const plain = await Sandbox.spawn('cat');
    // @ts-expect-error not asked for
    await plain.stdin.end();
    // @ts-expect-error no such option
    await sandbox.spawn('cat', [], { stdinn: 'pipe' });
  `);
  expect(complaints).toEqual([]);
});

test('undefined is as good as absent for every option', { timeout: 120_000 }, () => {
  const complaints = complaintsOf(`
    import type { EngineOptions, GroupRequest, OneShotOptions, RunManyOptions, SandboxOptions } from '@sbx/core';
    import type { FifoClientOptions, WaitOptions } from '@sbx/fifo-client';
    import type { FifoOptions } from '@sbx/fifo-protocol/server';
    type Optional<T> = { [Key in keyof T as {} extends Pick<T, Key> ? Key : never]: undefined };
    declare const of: <T>() => Optional<T>;
    const oneShot: OneShotOptions = of<OneShotOptions>();
    const sandbox: SandboxOptions = of<SandboxOptions>();
    const engine: EngineOptions = of<EngineOptions>();
    const many: RunManyOptions = of<RunManyOptions>();
    const group: GroupRequest = { programs: [], ...of<GroupRequest>() };
    const limits: OneShotOptions = { limits: of<NonNullable<OneShotOptions['limits']>>() };
    const fifo: FifoOptions = of<FifoOptions>();
    const client: FifoClientOptions = of<FifoClientOptions>();
    const wait: WaitOptions = of<WaitOptions>();
  `);
  expect(complaints).toEqual([]);
});
