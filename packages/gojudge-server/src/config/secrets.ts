/**
 * The token may stand on the command line, which everybody on the machine can read, and pages and titles
 * repeat.
 */

const SECRET = /^(--?auth-token)(?:=.*)?$/s;
const MASK = '…';

/** The same words with each secret masked. */
export function withoutSecrets(words: readonly string[]): string[] {
  let isNext = false;
  return words.map((word) => {
    if (isNext) {
      isNext = false;
      return MASK;
    }
    const match = SECRET.exec(word);
    if (match === null) return word;
    isNext = word === match[1];
    return isNext ? word : `${match[1]}=${MASK}`;
  });
}

/**
 * What `ps` shows from now on, when it showed a secret. Read again by nobody: arguments are in
 * `process.argv`.
 */
export function hideSecrets(): void {
  const shown = withoutSecrets(process.argv);
  if (shown.some((word, index) => word !== process.argv[index])) process.title = shown.join(' ');
}
