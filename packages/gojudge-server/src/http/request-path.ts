/**
 * The path of a request as Go reads it: no query, percent signs resolved, and the form that is meant for
 * proxies is one, too.
 */

/** `null` for what cannot be read. */
export function pathOf(url: string): string | null {
  try {
    return decodeURIComponent(ownPart(url).replace(/\?.*/s, ''));
  } catch {
    return null;
  }
}

/** `?` and what follows it, or `''`. */
export function queryOf(url: string): string {
  return /\?.*/s.exec(url)?.[0] ?? '';
}

/** Without `http://host:port`. */
function ownPart(url: string): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '');
}
