// One build for every package, run by scripts/setup.mjs inside the package's folder.
import { existsSync, readFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

type Plugin = NonNullable<Options['plugins']>[number];

interface Manifest {
  version: string;
  exports: Record<string, string | { default: string }>;
}

/**
 * package.json is the only list of entries: `./dist/wire/index.js` there is built from `src/wire/index.ts`.
 */
function exportedEntries(manifest: Manifest): string[] {
  return Object.values(manifest.exports)
    .flatMap((target) => (typeof target === 'string' ? [] : target.default))
    .map((file) => file.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts'));
}

/**
 * V8 holds the source of a module for as long as it runs, at two bytes a character when one of them is beyond
 * Latin-1. Those that esbuild leaves stand in comments and regular expressions, where an escape is as good.
 */
const escapeBeyondLatin1: Plugin = {
  name: 'escape-beyond-latin1',
  renderChunk(code, { map }) {
    const escaped = code.replace(/[\u0100-\uffff]/g, (unit) => {
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
    return escaped === code ? undefined : { code: escaped, ...(map === undefined ? {} : { map }) };
  },
};

/**
 * esbuild calls a class that names itself `_Engine` inside, which people would see: in what the console shows
 * of it, in messages and in stacks. In its own body its own name means the same.
 */
const keepClassNames: Plugin = {
  name: 'keep-class-names',
  renderChunk(code, { map }) {
    const names = [...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name);
    if (names.length === 0) return undefined;
    const kept = code.replace(new RegExp(`\\b_(${names.join('|')})\\b`, 'g'), '$1');
    return { code: kept, ...(map === undefined ? {} : { map }) };
  },
};

const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = exportedEntries(manifest);
const shared = {
  format: 'esm' as const,
  target: 'es2022',
  platform: 'node' as const,
  sourcemap: true,
  silent: true,
  tsconfig: 'tsconfig.json',
  plugins: [escapeBeyondLatin1, keepClassNames],
  define: { SBX_CORE_VERSION: JSON.stringify(manifest.version) },
};

export default defineConfig([
  ...(entries.length > 0
    ? [{ ...shared, entry: entries, dts: { compilerOptions: { stripInternal: true } } }]
    : []),
  ...(existsSync('src/main.ts') ? [{ ...shared, entry: ['src/main.ts'] }] : []),
]);
