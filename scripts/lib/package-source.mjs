// Inner tables of packages for the docs, which they do not export: their sources, with types taken off, from
// a folder that is gone afterwards. What a package imports from others is found as it finds it.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

function transpileInto(folder, name) {
  const sources = join(root, 'packages', name, 'src');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(root, 'packages', name, 'node_modules'), join(folder, 'node_modules'));
  for (const file of readdirSync(sources, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const { outputText } = ts.transpileModule(readFileSync(join(sources, file), 'utf8'), { compilerOptions });
    const target = join(folder, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
  }
}

/** Modules of packages/`name`/src by path without ending, in the order of `paths`. */
export async function importSources(name, ...paths) {
  const folder = mkdtempSync(join(tmpdir(), 'sbx-docs-'));
  try {
    transpileInto(folder, name);
    return await Promise.all(paths.map((path) => import(pathToFileURL(join(folder, `${path}.js`)))));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
