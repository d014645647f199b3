/**
 * JSON text of very many values, from a server that clients cannot trust. Each becomes an object of up to a
 * hundred bytes, so a few hundred MiB of brackets would end the process; they are counted before.
 */

/** Whether there are more; of text that is no JSON, whether it looks so. */
export function textHasMoreValues(json: string, valuesMax: number): boolean {
  if (json.length < valuesMax) return false;
  let count = 1;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (char === '"') at = endOfString(json, at + 1);
    else if ((char === ',' || char === '[' || char === '{') && ++count > valuesMax) return true;
  }
  return false;
}

/** Where the closing quote is, for a string of which nothing is looked at but its end. */
function endOfString(json: string, from: number): number {
  for (let at = from; ; at += 1) {
    at = json.indexOf('"', at);
    if (at === -1) return json.length;
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}
