// The files that the tidy tests look at, as git sees them, and their syntax trees.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export const root = join(import.meta.dirname, '../..');

/** Tracked files and new ones that are not ignored, relative to the root. */
export function listFiles(pattern: RegExp): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter((file) => pattern.test(file) && existsSync(join(root, file)))
    .sort();
}

export function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Makes it once in each worker, however many rules look at the file. */
export function oncePerFile<T>(make: (file: string) => T): (file: string) => T {
  const made = new Map<string, T>();
  return (file) => {
    if (!made.has(file)) made.set(file, make(file));
    return made.get(file)!;
  };
}

export const parse = oncePerFile((file) =>
  ts.createSourceFile(file, readText(file), ts.ScriptTarget.ESNext, true),
);

export function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

export function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}

export interface Import {
  specifier: string;
  /** Gone after compilation: `import type`, `export type`, `import('…').Name` in a type. */
  typeOnly: boolean;
}

/** What a file imports, re-exports or loads. */
export function importsOf(source: ts.SourceFile): Import[] {
  const found: Import[] = [];
  visit(source, (node) => {
    const specifier = specifierOf(node);
    if (specifier && ts.isStringLiteralLike(specifier))
      found.push({ specifier: specifier.text, typeOnly: isTypeOnly(node) });
  });
  return found;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return node.arguments[0];
  return undefined;
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return ts.isImportTypeNode(node) || (ts.isExportDeclaration(node) && node.isTypeOnly);
}
