// Each entry by itself: what importing it loads, and how large that is.
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../packages/adapters');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { default: string }>;
  peerDependencies: Record<string, string>;
};
const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [{ name: path.slice(2), file: target.default.split('/').at(-1)! }],
);
const readme = readFileSync(join(root, 'README.md'), 'utf8');

interface Loaded {
  /** Files of dist, the entry and what it shares with others. */
  ours: string[];
  /** All that is neither ours nor of @sbx/core. */
  foreign: string[];
  names: string[];
}

async function load(entry: string): Promise<Loaded> {
  const args = [join(import.meta.dirname, 'imports.mjs'), `@sbx/adapters/${entry}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { asked, names } = JSON.parse(stdout) as { asked: [string, string][]; names: string[] };
  const urls = [...new Set(asked.map(([, url]) => url))];
  const own = urls.filter((url) => url.includes('/packages/adapters/'));
  // What core loads is core's.
  const others = asked.filter(([from]) => from.includes('/packages/adapters/')).map(([, url]) => url);
  const known = /^node:|\/packages\/(?:adapters|core)\//;
  return {
    ours: own.map((url) => url.split('/').at(-1)!),
    foreign: others.filter((url) => !known.test(url)),
    names,
  };
}

// Of Node 20 npm takes ai@6, which brings 4.0: a range without it ends `npm install @sbx/adapters ai` and
// `… bash-tool` with ERESOLVE, though both work.
test('the range of an optional peer leaves nobody out who has an older one for something else', () => {
  expect(manifest.peerDependencies['@ai-sdk/provider-utils']).toBe('>=4.0.0');
});

test('the README has a row for each entry', () => {
  const rows = [...readme.matchAll(/^\| `@sbx\/adapters\/([\w-]+)` \|/gm)].map(([, name]) => name).sort();
  expect(rows).toEqual(entries.map(({ name }) => name).sort());
});

test.each(entries)(
  '$name loads no framework and no other entry, and is as large as the README says',
  async ({ name, file }) => {
    const { ours, foreign, names } = await load(name);
    expect(names.length).toBeGreaterThan(0);
    expect(foreign).toEqual([]);
    expect(ours).toContain(file);
    const otherFiles = entries.map((entry) => entry.file).filter((other) => other !== file);
    expect(ours.filter((loaded) => otherFiles.includes(loaded))).toEqual([]);
    const sizeBytes = ours.reduce((sum, loaded) => sum + statSync(join(root, 'dist', loaded)).size, 0);
    const stated = new RegExp(`^\\| \`@sbx/adapters/${name}\` \\|.*\\| (\\d+) KiB \\|$`, 'm').exec(
      readme,
    )?.[1];
    expect(Number(stated)).toBe(Math.ceil(sizeBytes / 1024));
  },
);
