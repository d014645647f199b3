// Static files into `dist/site` of the package: no address of another host in them, names by content,
// licences beside them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** Folder of the package that a module belongs to, `null` for one of ours. */
function packageFolder(id: string): string | null {
  const at = id.lastIndexOf('/node_modules/');
  if (at < 0) return null;
  const [first, second] = id.slice(at + '/node_modules/'.length).split('/');
  return join(id.slice(0, at), 'node_modules', first!.startsWith('@') ? `${first}/${second}` : first!);
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}

/** The licences of all that is bundled, which their texts ask to travel with it. */
const licences: Plugin = {
  name: 'licences',
  generateBundle() {
    const folders = new Set(
      [...this.getModuleIds()].map((id) => packageFolder(id.replace(/^\0/, '').split('?')[0]!)),
    );
    const texts = [...folders].flatMap((folder) =>
      folder !== null && existsSync(join(folder, 'package.json')) && !dirname(folder).endsWith('@sbx')
        ? [licenceOf(folder)]
        : [],
    );
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.txt', source: texts.sort().join('\n---\n\n') });
  },
};

export default defineConfig({
  base: '/',
  logLevel: 'warn',
  plugins: [licences],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', charset: 'ascii', legalComments: 'none' },
  build: {
    outDir: '../dist/site',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
