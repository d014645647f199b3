// One file, one reason to open it; a function fits on a screen.
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import {
  FILE_LINES_MAX,
  FUNCTION_LINES_MAX,
  LONG_FILES,
  NATIVE_WITH_MORE_PARAMETERS,
  PARAMETERS_MAX,
  TEST_FILE_LINES_MAX,
} from './size-table.js';
import { lineOf, listFiles, parse, readText, visit } from './sources.js';

const scripts = listFiles(/^(packages|test|scripts|native)\/.*\.(ts|mjs)$/);
const native = listFiles(/^native\/.*\.(h|cc)$/);

const linesMax = (file: string) => (/(\.test|_test)\.\w+$/.test(file) ? TEST_FILE_LINES_MAX : FILE_LINES_MAX);
const lineCount = (file: string) => readText(file).trimEnd().split('\n').length;

/** A package, or a folder of the tests, or else a folder of the root. */
const partOf = (file: string) => /^(?:(?:packages|test)\/[^/]+|[^/]+)(?=\/)/.exec(file)![0];

interface LongFunction {
  at: string;
  lines: number;
}

/** A suite's callback is a list of tests, each of which is measured by itself. */
function isSuite(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && /^describe\b/.test(node.parent.expression.getText());
}

function longFunctions(file: string): LongFunction[] {
  const source = parse(file);
  const found: LongFunction[] = [];
  visit(source, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body || isSuite(node)) return;
    const first = lineOf(source, node.getStart(source));
    const lines = lineOf(source, node.end) - first + 1;
    if (lines > FUNCTION_LINES_MAX) found.push({ at: `${file}:${first}`, lines });
  });
  return found;
}

/**
 * By indentation, which the house style keeps: a body opens at the end of a line and closes at the depth of
 * its head.
 */
function longNativeFunctions(file: string): LongFunction[] {
  const lines = readText(file).split('\n');
  return lines.flatMap((line, index) => {
    if (!/\).*\{$/.test(line)) return [];
    let head = index;
    while (head > 0 && /[^;{}:/\s]$/.test(lines[head - 1]!) && !/^\s*(\/\/|#)/.test(lines[head - 1]!))
      head -= 1;
    const opening = /^(\s*)(?!if\b|else\b|for\b|while\b|switch\b|do\b)[A-Za-z~[]/.exec(lines[head]!);
    if (!opening) return [];
    const end = lines.findIndex((other, at) => at > index && other.startsWith(`${opening[1]}}`));
    const length = end - head + 1;
    return length > FUNCTION_LINES_MAX ? [{ at: `${file}:${head + 1}`, lines: length }] : [];
  });
}

/** How many commas stand between the brackets that open before `start`, and where they close. */
function parametersFrom(text: string, start: number): { count: number; end: number } {
  let depth = 1;
  let commas = 0;
  let at = start;
  for (; depth > 0 && at < text.length; at += 1) {
    const char = text[at]!;
    if ('([{<'.includes(char)) depth += 1;
    else if (')]}>'.includes(char) && text[at - 1] !== '-') depth -= 1;
    else if (char === ',' && depth === 1) commas += 1;
  }
  return { count: commas + 1, end: at };
}

/** Functions that are declared or defined: a type, a name, and after the parameters a body or the end. */
function functionsWithMoreParameters(file: string): string[] {
  const text = readText(file).replaceAll(/\/\/.*/g, '');
  const heads = text.matchAll(/^ *(?!return\b|else\b|case\b)(?:[\w:<>*&]+[ \n*&]+)+([\w:~]+)\(/gm);
  return [...heads].flatMap(({ 0: head, 1: name, index }) => {
    const { count, end } = parametersFrom(text, index + head.length);
    const isFunction = /^\s*(?:(?:const|noexcept|override)\b\s*)*(?:\{|;|->)/.test(text.slice(end, end + 40));
    return count > PARAMETERS_MAX && isFunction && !/^(volatile$|sys::)/.test(name!)
      ? [`${file} ${name}`]
      : [];
  });
}

describe('size', () => {
  test('no file is longer than its kind may be, tables aside', () => {
    const long = [...scripts, ...native].filter((file) => lineCount(file) > linesMax(file));
    expect(long.filter((file) => !(file in LONG_FILES))).toEqual([]);
  });

  test('every exception is still needed', () => {
    expect(Object.keys(LONG_FILES).filter((file) => lineCount(file) <= linesMax(file))).toEqual([]);
  });

  // Part by part: to parse all of them takes a busy machine longer than a test may take.
  const parts = new Set(scripts.map(partOf));
  test.each([...parts])(`no function of %s is longer than ${FUNCTION_LINES_MAX} lines`, (part) => {
    expect(scripts.filter((file) => partOf(file) === part).flatMap(longFunctions)).toEqual([]);
  });

  test(`no native function is longer than ${FUNCTION_LINES_MAX} lines`, () => {
    expect(native.flatMap(longNativeFunctions)).toEqual([]);
  });

  test(`no native function has more than ${PARAMETERS_MAX} parameters, but those of the table`, () => {
    const found = new Set(native.flatMap(functionsWithMoreParameters));
    expect([...found].sort()).toEqual(NATIVE_WITH_MORE_PARAMETERS);
  });
});
