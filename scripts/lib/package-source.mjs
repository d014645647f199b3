// Inner tables of packages for the docs, which they do not export: their sources, with types taken off, from
// a folder that is gone afterwards. What a package imports from others is found as it finds it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { root } from './paths.mjs';

const compilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2022,
  verbatimModuleSyntax: true,
};

/** What it imports of its own package, as paths without ending. */
const importsOf = (path, text) =>
  [...text.matchAll(/\bfrom '(\.{1,2}\/[^']+)\.js'/g)].map(([, name]) => join(dirname(path), name));

/** Only what is reached: a package has hundreds of files. */
function transpileInto(folder, sources, paths) {
  const reached = new Set(paths);
  for (const path of reached) {
    const text = readFileSync(join(sources, `${path}.ts`), 'utf8');
    const { outputText } = ts.transpileModule(text, { compilerOptions });
    const target = join(folder, `${path}.js`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
    for (const other of importsOf(path, outputText)) reached.add(other);
  }
}

/** Modules of packages/`name`/src by path without ending, in the order of `paths`. */
export async function importSources(name, ...paths) {
  const folder = mkdtempSync(join(tmpdir(), 'sbx-docs-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    symlinkSync(join(root, 'packages', name, 'node_modules'), join(folder, 'node_modules'));
    transpileInto(folder, join(root, 'packages', name, 'src'), paths);
    return await Promise.all(paths.map((path) => import(pathToFileURL(join(folder, `${path}.js`)))));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
