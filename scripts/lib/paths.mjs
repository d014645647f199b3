// Where things are. Scratch of the tooling lives in `.sbx-setup`, which may be deleted at any time.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const scratch = join(root, '.sbx-setup');

/** The JavaScript file behind a tool's command, so that it runs on this Node whatever the PATH says. */
export const tool = {
  biome: join(root, 'node_modules/@biomejs/biome/bin/biome'),
  tsc: join(root, 'node_modules/typescript/bin/tsc'),
  tsup: join(root, 'node_modules/tsup/dist/cli-default.js'),
  typedoc: join(root, 'node_modules/typedoc/bin/typedoc'),
  vitest: join(root, 'node_modules/vitest/vitest.mjs'),
  publint: join(root, 'node_modules/publint/src/cli.js'),
  vite: join(root, 'packages/console/node_modules/vite/bin/vite.js'),
  attw: join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js'),
};

export function readJson(...parts) {
  return JSON.parse(readFileSync(join(root, ...parts), 'utf8'));
}

/** Every package with its manifest, those it depends on before it. */
export function packagesInBuildOrder() {
  const all = readdirSync(join(root, 'packages')).map((folder) => ({
    folder: join('packages', folder),
    manifest: readJson('packages', folder, 'package.json'),
  }));
  const byName = new Map(all.map((pkg) => [pkg.manifest.name, pkg]));
  const ordered = new Set();
  const visit = (pkg) => {
    for (const name of Object.keys({ ...pkg.manifest.dependencies, ...pkg.manifest.devDependencies }))
      if (byName.has(name)) visit(byName.get(name));
    ordered.add(pkg);
  };
  all.forEach(visit);
  return [...ordered];
}
