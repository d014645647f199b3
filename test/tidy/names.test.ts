// Names that come from outside (of files, variables, languages, JSON keys) never meet Object.prototype:
// `files['valueOf']` is a function that nobody put there. A `Map` is the way; where an object is looked into
// by a text all the same, a row of the table says why it may.
import ts from 'typescript';
import { test } from 'vitest';
import { expectJudged, type Place } from './judged.js';
import { JUDGED } from './names-table.js';
import { lineOf, listFiles, root } from './sources.js';

const CHECKS_WITHIN_MS = 120_000;

/** Every `object[text]` and `text in object` where the text is not one of a few that the types know. */
function findPlaces(): Place[] {
  const names = listFiles(/^packages\/[^/]+\/src\/.*(?<!\.test)\.ts$/).map((file) => `${root}/${file}`);
  const { options } = ts.getParsedCommandLineOfConfigFile(
    `${root}/tsconfig.json`,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  )!;
  const program = ts.createProgram(names, options);
  const checker = program.getTypeChecker();
  return names.flatMap((name) => placesIn(program.getSourceFile(name)!, checker));
}

function placesIn(source: ts.SourceFile, checker: ts.TypeChecker): Place[] {
  const found: Place[] = [];
  const look = (node: ts.Node): void => {
    const name = nameOf(node);
    if (name !== undefined && isAnyText(checker.getTypeAtLocation(name))) {
      const file = source.fileName.slice(root.length + '/packages/'.length).replace('/src/', '/');
      const key = `${file}: ${node.getText(source)}`;
      found.push({ at: `${source.fileName}:${lineOf(source, node.getStart(source))}`, key });
    }
    ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

function nameOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isElementAccessExpression(node)) return node.argumentExpression;
  const isIn = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword;
  return isIn && !ts.isPrivateIdentifier(node.left) ? node.left : undefined;
}

/** A number is an index; of a few texts the compiler knows each. */
function isAnyText(type: ts.Type): boolean {
  const { TypeFlags: is } = ts;
  const anything = is.String | is.TemplateLiteral | is.Any | is.Unknown | is.TypeParameter | is.Index;
  return (type.isUnion() ? type.types : [type]).some(({ flags }) => (flags & anything) !== 0);
}

test(
  'no object is looked into by a name that may be one of Object.prototype',
  () => {
    const rule = 'use a Map, or judge the place and add a row to test/tidy/names-table.ts';
    expectJudged(findPlaces(), JUDGED, rule);
  },
  CHECKS_WITHIN_MS,
);
