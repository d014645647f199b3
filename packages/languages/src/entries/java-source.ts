/**
 * What must be known of a Java source before it is compiled. Hostile text: each expression is linear and
 * keeps nothing to come back to, and a wrong guess only makes javac complain.
 */

/** Where comments, texts and characters begin, which may contain anything. */
const OPENING = /\/[*/]|"""|["']/g;
/**
 * What is inside of them, a stretch at a time, as each one that may be tried otherwise costs memory; and how
 * much closes them. A backslash and what follows it are inside. Not closed, they last to the end.
 */
const TEXTS: ReadonlyMap<string, readonly [inside: RegExp, closingLength: number]> = new Map([
  ['/*', [/(?:[^*]|\*(?!\/)){1,1000}/y, 2]],
  ['//', [/[^\n]{1,1000}/y, 0]],
  ['"""', [/(?:\\[\s\S]|[^"\\]|"(?!"")){1,1000}/y, 3]],
  ['"', [/(?:\\.|[^"\\\n]){1,1000}/y, 1]],
  ["'", [/(?:\\.|[^'\\\n]){1,1000}/y, 1]],
]);
const NAME = String.raw`[\p{ID_Start}\p{Sc}_][\p{ID_Continue}\p{Sc}]*`;
/** What decides where a `main` stands: a type's name, a `main` and what it takes, a brace. */
const TOKEN = new RegExp(
  String.raw`\b(?:class|interface|enum|record)\s+(${NAME})|` +
    String.raw`\b(static\s+(?:(?:public|final|synchronized|strictfp)\s+)*)?void\s+(main)\s*\(` +
    String.raw`\s*((?:final\s+)?(?:java\.lang\.)?String\b)?|([{}])`,
  'gu',
);
const PUBLIC_TYPE = new RegExp(
  String.raw`\bpublic\s+(?:(?:abstract|final|strictfp|sealed|non-sealed|static)\s+)*` +
    String.raw`(?:class|interface|enum|record|@interface)\s+(${NAME})`,
  'u',
);
const PACKAGE = new RegExp(String.raw`\bpackage\s+(${NAME}(?:\.${NAME})*)\s*;`, 'u');

/** The public type, which gives the file its name; `null` when none is public. */
export function javaPublicType(code: string): string | null {
  return PUBLIC_TYPE.exec(withoutText(code))?.[1] ?? null;
}

/**
 * The class around `main`, as `java` wants it (`pack.Outer$Inner`); `null` when there is none. Of several
 * methods of this name the one that `java` starts, first that of the public type.
 */
export function javaMainClass(code: string): string | null {
  const plain = withoutText(code);
  const publicType = PUBLIC_TYPE.exec(plain)?.[1];
  const around: (string | null)[] = [];
  let declared: string | null = null;
  let found: { type: string; rank: number } | null = null;
  for (const [, type, isStatic, main, texts, brace] of plain.matchAll(TOKEN)) {
    if (type !== undefined) declared = type;
    if (brace === '}') around.pop();
    if (main !== undefined) {
      const name = around.filter((each) => each !== null).join('$');
      const rank = (isStatic !== undefined && texts !== undefined ? 2 : 0) + (name === publicType ? 1 : 0);
      if (name !== '' && rank > (found?.rank ?? -1)) found = { type: name, rank };
    }
    if (brace !== '{') continue;
    around.push(declared);
    declared = null;
  }
  return found === null ? null : inPackage(plain, found.type);
}

function inPackage(plain: string, type: string): string {
  const folder = PACKAGE.exec(plain)?.[1];
  return folder === undefined ? type : `${folder}.${type}`;
}

function withoutText(code: string): string {
  let plain = '';
  let at = 0;
  for (OPENING.lastIndex = 0; ; OPENING.lastIndex = at) {
    const opening = OPENING.exec(code);
    if (opening === null) return plain + code.slice(at);
    plain += `${code.slice(at, opening.index)} `;
    at = endOfText(code, opening);
  }
}

function endOfText(code: string, { 0: opening, index }: RegExpExecArray): number {
  const [inside, closingLength] = TEXTS.get(opening)!;
  let at = index + opening.length;
  for (inside.lastIndex = at; inside.test(code); ) at = inside.lastIndex;
  return at + closingLength;
}
