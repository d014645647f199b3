// What an editor shows on hover: each member of what callers give and get says what it is.
import ts from 'typescript';
import { expect, test } from 'vitest';
import { lineOf, listFiles, parse, visit } from './sources.js';

/** Files whose exported interfaces and type literals are public, in whole. */
const PUBLIC_TYPES = [
  ...listFiles(/^packages\/core\/src\/types\/(?!internal).*\.ts$/),
  'packages/core/src/public/options.ts',
  'packages/fifo-client/src/types.ts',
  'packages/fifo-protocol/src/reply.ts',
  'packages/fifo-protocol/src/server/types.ts',
  // As built: everything that the entry exports.
  'packages/cluster/dist/index.d.ts',
  'packages/fathom-client/dist/index.d.ts',
  'packages/fathom-client/dist/conformance/index.d.ts',
  'packages/fathom-server/dist/index.d.ts',
  'packages/gojudge-client/dist/index.d.ts',
  'packages/gojudge-server/dist/index.d.ts',
  'packages/languages/dist/index.d.ts',
  'packages/mcp/dist/index.d.ts',
  'packages/console/dist/wire.d.ts',
  'packages/server/dist/index.d.ts',
];

/** Members of interfaces that say nothing. */
function silentMembers(file: string): string[] {
  const source = parse(file);
  const silent: string[] = [];
  visit(source, (node) => {
    if (!ts.isPropertySignature(node) && !ts.isMethodSignature(node)) return;
    if (!ts.isInterfaceDeclaration(node.parent) || ts.getJSDocCommentsAndTags(node).length > 0) return;
    silent.push(`${lineOf(source, node.getStart())}: ${node.parent.name.text}.${node.name.getText()}`);
  });
  return silent;
}

test.each(PUBLIC_TYPES)('each member of %s has a sentence', (path) => {
  expect(silentMembers(path)).toEqual([]);
});
