// What every package.json promises to the people who install it.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listFiles, readText, root } from './sources.js';

interface Manifest {
  name: string;
  private?: boolean;
  [key: string]: unknown;
}

const readManifest = (file: string): Manifest => JSON.parse(readText(file));

const publishable = listFiles(/^packages\/[^/]+\/package\.json$/)
  .map((file) => ({ file, manifest: readManifest(file) }))
  .filter(({ manifest }) => !manifest.private);

const REPOSITORY = 'https://github.com/sbx-project/sbx';
const EXACT = /^(\d+\.\d+\.\d+(-[\w.]+)?|workspace:[*^])$/;
/** Where an entry may have code of its own. */
const RUNTIMES = ['bun', 'deno', 'browser', 'node'];
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

function versionsOf(manifest: Manifest): string[] {
  return ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((key) =>
    Object.entries((manifest[key] ?? {}) as Record<string, string>)
      .filter(([, version]) => !EXACT.test(version))
      .map(([name, version]) => `${name}@${version}`),
  );
}

describe.each(publishable)('$file', ({ file, manifest }) => {
  test('says what people and tools look for', () => {
    expect(manifest).toMatchObject({
      name: expect.stringMatching(/^@sbx\//),
      description: expect.stringMatching(/\.$/),
      keywords: expect.any(Array),
      license: 'MIT',
      type: 'module',
      engines: { node: '>=20.19' },
      exports: expect.objectContaining({ './package.json': './package.json' }),
      files: expect.arrayContaining(['dist']),
      publishConfig: expect.objectContaining({ access: 'public', provenance: true }),
    });
  });

  test('says where it comes from, and takes its pages and changes along', () => {
    const folder = dirname(file);
    expect(manifest).toMatchObject({
      repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: folder },
      homepage: `${REPOSITORY}/tree/main/${folder}#readme`,
      bugs: { url: `${REPOSITORY}/issues` },
      files: expect.arrayContaining(['docs', 'CHANGELOG.md']),
    });
    expect(existsSync(join(root, folder, 'CHANGELOG.md'))).toBe(true);
  });

  test('has a README whose links hold wherever it is read', () => {
    const links = [...readText(join(dirname(file), 'README.md')).matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, link]) => link!,
    );
    expect(links.filter((link) => !/^(https:|#)/.test(link))).toEqual([]);
  });

  test('runs nothing at install', () => {
    expect(Object.keys(manifest.scripts ?? {}).filter((name) => INSTALL_SCRIPTS.includes(name))).toEqual([]);
  });

  test('offers types first and a default last at every entry, and only code between them', () => {
    const entries = Object.values(manifest.exports as object).filter((entry) => typeof entry === 'object');
    for (const entry of entries) {
      const [first, ...conditions] = Object.keys(entry);
      expect([first, conditions.pop()]).toEqual(['types', 'default']);
      expect(conditions.filter((condition) => !RUNTIMES.includes(condition))).toEqual([]);
    }
  });

  test('has a README of its own', () => {
    expect(existsSync(join(root, dirname(file), 'README.md'))).toBe(true);
  });
});

/** Entries that are code, by the names that they are imported by. */
const codeEntries = publishable.flatMap(({ manifest }) =>
  Object.entries(manifest.exports as Record<string, unknown>)
    .filter(([, target]) => typeof target === 'object')
    .map(([path]) => join(manifest.name, path)),
);

test('CommonJS takes every entry: none has an await at its top', { timeout: 120_000 }, () => {
  expect(codeEntries).toContain('@sbx/core');
  const program = `for (const entry of ${JSON.stringify(codeEntries)})
    if (Object.keys(require(entry)).length === 0) throw new Error(entry + ' exports nothing');`;
  execFileSync(process.execPath, ['--input-type=commonjs', '-e', program], { cwd: root, stdio: 'pipe' });
});

test('versions are pinned exactly', () => {
  const manifests = [...publishable.map(({ manifest }) => manifest), readManifest('package.json')];
  expect(manifests.flatMap(versionsOf)).toEqual([]);
});

test('packages that belong together are released together', () => {
  const { fixed } = JSON.parse(readText('.changeset/config.json')) as { fixed: string[][] };
  expect(fixed).toEqual([publishable.map(({ manifest }) => manifest.name).sort()]);
});
