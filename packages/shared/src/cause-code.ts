/** Why there was no answer, in a word that people can look up. */

/** Causes within causes: fetch has one, and a try of several addresses another. */
const DEPTH_MAX = 5;

/**
 * Error codes down the chain of causes, outermost first: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`.
 * Empty in browsers, which do not tell.
 */
export function causeCodes(error: unknown): string[] {
  const codes: string[] = [];
  let at = error as { code?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; depth < DEPTH_MAX && typeof at === 'object' && at !== null; depth += 1) {
    if (typeof at.code === 'string') codes.push(at.code);
    at = at.cause as typeof at;
  }
  return codes;
}

/** `No answer from URL (ECONNREFUSED).` The innermost code is what the system said. */
export function noAnswerFrom(place: string, cause: unknown): string {
  const code = causeCodes(cause).at(-1);
  return `No answer from ${place}${code === undefined ? '' : ` (${code})`}.`;
}
