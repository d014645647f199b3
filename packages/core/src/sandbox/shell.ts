/** Quoting for `sh -c`. */

/** The line with each value as one word, whatever is in it. */
export function quoteShell(strings: readonly string[], values: readonly (string | number)[]): string {
  return strings
    .map((part, index) => (index === 0 ? part : quoteWord(String(values[index - 1])) + part))
    .join('');
}

/** Single quotes keep everything but themselves. */
function quoteWord(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
