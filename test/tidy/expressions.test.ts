// A text of strangers is looked through in a time in proportion to its length: an expression that begins anew
// at each character, or can share out a text in many ways, keeps a server from all others for as long as one
// request likes. Where it may all the same, a row of the table says why.
import { analyse } from 'scslre';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { JUDGED } from './expressions-table.js';
import { expectJudged, type Place } from './judged.js';
import { lineOf, listFiles, parse, visit } from './sources.js';

interface Expression extends Place {
  source: string;
  flags: string;
}

function expressionsIn(file: string): Expression[] {
  const found: Expression[] = [];
  const tree = parse(file);
  visit(tree, (node) => {
    if (!ts.isRegularExpressionLiteral(node)) return;
    const end = node.text.lastIndexOf('/');
    const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
    const key = `${file.slice('packages/'.length).replace('/src/', '/')}: ${node.text}`;
    found.push({ at: `${file}:${lineOf(tree, node.getStart(tree))}`, key, source, flags });
  });
  return found;
}

const isSlow = ({ source, flags }: Pick<Expression, 'source' | 'flags'>) =>
  analyse({ source, flags }).reports.length > 0;

test('the check knows slow expressions', () => {
  expect(isSlow({ source: '([^/]+)\\/*$', flags: '' })).toBe(true);
  expect(isSlow({ source: '^(?:a+)+$', flags: '' })).toBe(true);
  expect(isSlow({ source: '^[^/]+$', flags: '' })).toBe(false);
});

test('expressions take a time in proportion to the text', () => {
  const slow = listFiles(/^packages\/[^/]+\/src\/.*(?<!\.test)\.tsx?$/)
    .flatMap(expressionsIn)
    .filter(isSlow);
  const rule = 'write it another way, or judge it and add a row to test/tidy/expressions-table.ts';
  expectJudged(slow, JUDGED, rule);
});
