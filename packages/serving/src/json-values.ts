/**
 * JSON of very many values. Each becomes an object many times its size, and nobody else is served while they
 * are made; so they are counted before.
 */

const [QUOTE, COMMA, BACKSLASH, BRACKET, BRACE] = [...'",\\[{'].map((char) => char.charCodeAt(0));

/** Whether there are more; of text that is no JSON, whether it looks so. */
export function hasMoreValues(json: Uint8Array, valuesMax: number): boolean {
  let count = 1;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && ++count > valuesMax) return true;
  }
  return false;
}

/** Where the closing quote is, for a string of which nothing is looked at but its end. */
function endOfString(json: Uint8Array, from: number): number {
  for (let at = from; ; at += 1) {
    at = json.indexOf(QUOTE!, at);
    if (at === -1) return json.length;
    let slashes = 0;
    while (json[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}
