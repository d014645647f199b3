// One build for every package, run by scripts/setup.mjs inside the package's folder.
import { existsSync, readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

interface Manifest {
  exports: Record<string, string | { default: string }>;
}

/** package.json is the only list of entries: `./dist/wire/index.js` there is built from `src/wire/index.ts`. */
function exportedEntries(manifest: Manifest): string[] {
  return Object.values(manifest.exports)
    .flatMap((target) => (typeof target === 'string' ? [] : target.default))
    .map((file) => file.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts'));
}

const entries = exportedEntries(JSON.parse(readFileSync('package.json', 'utf8')));
const shared = {
  format: 'esm' as const,
  target: 'es2022',
  platform: 'node' as const,
  sourcemap: true,
  silent: true,
  tsconfig: 'tsconfig.json',
};

export default defineConfig([
  ...(entries.length > 0
    ? [{ ...shared, entry: entries, dts: { compilerOptions: { stripInternal: true } } }]
    : []),
  ...(existsSync('src/main.ts') ? [{ ...shared, entry: ['src/main.ts'] }] : []),
]);
