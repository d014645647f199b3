// Tests run, all of them, once. What a machine lacks is skipped with `skipIf`, which CI turns into a failure.
import ts from 'typescript';
import { expect, test } from 'vitest';
import { lineOf, listFiles, parse, visit } from './sources.js';

const RUNNERS = /^(it|test|describe|suite|bench)\b/;
const FORBIDDEN = new Set(['only', 'skip', 'todo', 'fails']);

function forbiddenIn(file: string): string[] {
  const source = parse(file);
  const found: string[] = [];
  visit(source, (node) => {
    const bad =
      (ts.isPropertyAccessExpression(node) &&
        FORBIDDEN.has(node.name.text) &&
        RUNNERS.test(node.expression.getText(source))) ||
      (ts.isPropertyAssignment(node) && node.name.getText(source) === 'retry');
    if (bad) found.push(`${file}:${lineOf(source, node.getStart(source))} ${node.getText(source)}`);
  });
  return found;
}

test('no test is singled out, left out or tried again', () => {
  const files = listFiles(/^(packages|test|scripts)\/.*\.(test\.ts|test\.mjs)$/);
  expect(files.flatMap(forbiddenIn)).toEqual([]);
});

/** fast-check makes no text or list longer than this by itself, whatever `maxLength` says. */
const GENERATED_MAX = 10;

function shorterThanTheySay(file: string): string[] {
  const source = parse(file);
  if (!source.text.includes("'fast-check'")) return [];
  const found: string[] = [];
  visit(source, (node) => {
    if (!ts.isObjectLiteralExpression(node)) return;
    const names = new Map(node.properties.map((property) => [property.name?.getText(source), property]));
    const longest = names.get('maxLength');
    if (longest === undefined || !ts.isPropertyAssignment(longest) || names.has('size')) return;
    if (Number(longest.initializer.getText(source)) <= GENERATED_MAX) return;
    found.push(`${file}:${lineOf(source, node.getStart(source))} ${node.getText(source)}`);
  });
  return found;
}

test("inputs of a property are as long as it says: more than a few with `size: 'max'`", () => {
  const files = listFiles(/^(packages|test|scripts)\/.*\.test\.(ts|mjs)$/);
  expect(files.flatMap(shorterThanTheySay)).toEqual([]);
});
