// A program with @sbx/core, bundled by a tool and started beside node_modules and far from it.
// docs/bundlers.md has the table of answers.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ERROR_CODES } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foreignModules } from '../helpers/foreign.js';

const script = fileURLToPath(new URL('./build.mjs', import.meta.url));
const PROGRAM = `
import { Engine } from '@sbx/core';

async function main() {
  const engine = await Engine.open({ parallelism: 1, readyCount: 0 });
  const { status } = await engine.run('/bin/true');
  const { version } = engine.info();
  await engine.close();
  return { status, version };
}
main().then(
  (answer) => console.log(JSON.stringify(answer)),
  ({ name, code, message }) => console.log(JSON.stringify({ name, code, message })),
);
`;
/** Other platforms' pairs are in the published package; here they may not be built. */
const PLATFORMS = ['linux-x64-glibc', 'linux-x64-musl', 'linux-arm64-glibc', 'linux-arm64-musl'];

let modules: string;
let home: string;
let installed: string;

interface Answer {
  status?: string;
  version?: string;
  name?: string;
  code?: string;
  message?: string;
}

function start(file: string, env: NodeJS.ProcessEnv = {}): Answer {
  const isProgram = basename(file) === 'program';
  const [command, args] = isProgram ? [file, []] : [process.execPath, [file]];
  const options = { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' } as const;
  return JSON.parse(execFileSync(command, args, options).trim().split('\n').at(-1)!) as Answer;
}

export const works = () =>
  expect.objectContaining({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
export const named = () =>
  expect.objectContaining({
    name: 'UnsupportedError',
    code: 'SBX_NATIVE_UNAVAILABLE' satisfies keyof typeof ERROR_CODES,
    message: expect.stringMatching(/external.*SBX_NATIVE_PATH/s),
  });

/** Puts the package into a project's node_modules, as npm would; gives its folder. */
export function installCore(project: string): string {
  const installed = join(project, 'node_modules/@sbx/core');
  const core = dirname(fileURLToPath(import.meta.resolve('@sbx/core/package.json')));
  for (const part of ['package.json', 'dist', 'prebuilds'])
    cpSync(join(core, part), join(installed, part), { recursive: true });
  for (const platform of PLATFORMS) {
    const folder = join(installed, 'prebuilds', platform);
    mkdirSync(folder, { recursive: true });
    for (const file of ['sbx.node', 'sbx-helper'])
      if (!existsSync(join(folder, file))) writeFileSync(join(folder, file), 'of another platform');
  }
  cpSync(join(core, 'node_modules/modern-tar'), join(project, 'node_modules/modern-tar'), {
    recursive: true,
    dereference: true,
  });
  return installed;
}

type Expected = typeof works;

/** Rows: the tool, what comes beside node_modules, what comes when it is moved away alone. */
export function describeTools(rows: [tool: string, beside: Expected, moved: Expected][]): void {
  beforeAll(async () => {
    modules = await foreignModules('bundlers');
    home = mkdtempSync(join(tmpdir(), 'bundlers-'));
    const project = join(home, 'project');
    installed = installCore(project);
    writeFileSync(join(project, 'main.mjs'), PROGRAM);
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  }, 120_000);

  afterAll(() => rmSync(home, { recursive: true, force: true }));

  describe.each(rows)('%s', (tool, beside, moved) => {
    let file: string;

    beforeAll(() => {
      const project = join(home, 'project');
      const out = join(project, `out-${tool.replaceAll(/\W/g, '')}`);
      const stdout = execFileSync(process.execPath, [script, modules, tool, project, out], {
        encoding: 'utf8',
      });
      file = stdout.trim().split('\n').at(-1)!;
    }, 120_000);

    it(`beside node_modules ${beside === works ? 'works' : 'names what to set'}`, () => {
      expect(start(file)).toEqual(beside());
    });

    it(`moved away alone ${moved === works ? 'works' : 'names what to set'}`, () => {
      const away = mkdtempSync(join(home, 'away-'));
      cpSync(dirname(file), away, { recursive: true });
      expect(start(join(away, basename(file)))).toEqual(moved());
      const SBX_NATIVE_PATH = join(installed, 'prebuilds', ownFolder());
      expect(start(join(away, basename(file)), { SBX_NATIVE_PATH })).toEqual(works());
    });
  });
}

function ownFolder(): string {
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return `linux-${process.arch}-${header.glibcVersionRuntime === undefined ? 'musl' : 'glibc'}`;
}
