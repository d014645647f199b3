/**
 * What must be known of a Java source before it is compiled. Hostile text: each expression is linear, and a
 * wrong guess only makes javac complain.
 */

/**
 * Comments, texts and characters, which may contain anything; closed or not, each matches, so that none is
 * tried twice.
 */
const NOT_CODE =
  /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?/g;
/** What decides where a `main` stands: a type's name, a `main`, a brace. */
const TOKEN =
  /\b(?:class|interface|enum|record)\s+([A-Za-z_$][\w$]*)|\bstatic\s+(?:final\s+)?void\s+(main)\s*\(|([{}])/g;
const PUBLIC_TYPE =
  /\bpublic\s+(?:(?:abstract|final|strictfp|sealed|non-sealed|static)\s+)*(?:class|interface|enum|record|@interface)\s+([A-Za-z_$][\w$]*)/;
const PACKAGE = /\bpackage\s+([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*;/;

/** The public type, which gives the file its name; `null` when none is public. */
export function javaPublicType(code: string): string | null {
  return PUBLIC_TYPE.exec(withoutText(code))?.[1] ?? null;
}

/** The class around the first `main`, as `java` wants it (`pack.Outer$Inner`); `null` when there is none. */
export function javaMainClass(code: string): string | null {
  const plain = withoutText(code);
  const around: (string | null)[] = [];
  let declared: string | null = null;
  for (const [, type, main, brace] of plain.matchAll(TOKEN)) {
    if (main !== undefined) return qualified(plain, around);
    if (type !== undefined) declared = type;
    if (brace === '}') around.pop();
    if (brace !== '{') continue;
    around.push(declared);
    declared = null;
  }
  return null;
}

function qualified(plain: string, around: readonly (string | null)[]): string | null {
  const name = around.filter((type) => type !== null).join('$');
  const folder = PACKAGE.exec(plain)?.[1];
  return name === '' ? null : folder === undefined ? name : `${folder}.${name}`;
}

function withoutText(code: string): string {
  return code.replace(NOT_CODE, ' ');
}
