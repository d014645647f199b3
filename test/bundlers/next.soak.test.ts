// A Next application with @sbx/core in a route, built with `output: 'standalone'`; what came is moved away
// alone and served.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foreignModules } from '../helpers/foreign.js';
import { installCore, works } from './tools.js';

const BUILD_MS = 300_000;
let home: string;
let project: string;

beforeAll(async () => {
  const modules = await foreignModules('next');
  home = mkdtempSync(join(tmpdir(), 'next-'));
  project = join(home, 'project');
  cpSync(join(import.meta.dirname, 'next'), project, { recursive: true });
  cpSync(modules, join(project, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  installCore(project);
}, BUILD_MS);

afterAll(() => rmSync(home, { recursive: true, force: true }), BUILD_MS);

describe.each([
  ['left alone by serverExternalPackages', '1'],
  ['bundled with the route', '0'],
])('@sbx/core %s', (_, external) => {
  it('works', { timeout: BUILD_MS }, async () => {
    const next = join(project, 'node_modules/next/dist/bin/next');
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', SBX_TEST_EXTERNAL: external };
    rmSync(join(project, '.next'), { recursive: true, force: true });
    await promisify(execFile)(process.execPath, [next, 'build'], { cwd: project, env });
    const away = mkdtempSync(join(home, 'away-'));
    cpSync(join(project, '.next/standalone'), away, { recursive: true, verbatimSymlinks: true });
    const server = await serve(away);
    try {
      const response = await fetch(`${server.url}/run`);
      expect(await response.json()).toEqual(works());
    } finally {
      server.child.kill();
      await once(server.child, 'exit');
    }
  });
});

async function serve(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const env = { PATH: process.env.PATH, HOSTNAME: '127.0.0.1', PORT: '0', NODE_ENV: 'production' } as const;
  const child = spawn(process.execPath, ['server.js'], { cwd: folder, env });
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    const url = /Local:\s+(\S+)/.exec(said)?.[1];
    if (url !== undefined && said.includes('Ready')) return { child, url };
  }
  throw new Error(`the server of Next does not start: ${said}`);
}
