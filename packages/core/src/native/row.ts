/**
 * Numbers that cross the boundary, by position in one row: asked for by name each property would be a call
 * into JavaScript's engine, and there are a hundred in every run. What is sent and received, and in which
 * order, is in native/records.ts.
 */

/** Stands for a number that is not known. */
export const UNKNOWN = -1;

/** Enough for nearly all; used again and again, as the addon reads it before it returns. */
let sent = new Float64Array(512);
let count = 1;

export function beginRow(): void {
  count = 1;
}

export function put(number: number): void {
  if (count === sent.length) {
    const more = new Float64Array(2 * count);
    more.set(sent);
    sent = more;
  }
  sent[count++] = number;
}

/** How many, then each. */
export function putAll(row: readonly number[]): void {
  put(row.length);
  for (const number of row) put(number);
}

/** The row that has been put together: how many numbers there are, then these. */
export function finishRow(): Float64Array {
  sent[0] = count - 1;
  return sent;
}

let received: Float64Array = new Float64Array(0);
let at = 0;

/** Reads a report, before the next one comes. */
export function readRow(row: Float64Array): void {
  received = row;
  at = 0;
}

export function next(): number {
  return received[at++]!;
}

/** `null`: nothing could measure it. */
export function nextFigure(): number | null {
  const number = next();
  return number < 0 ? null : number;
}

/** How many, then each. */
export function nextAll(): number[] {
  const numbers: number[] = [];
  for (let left = next(); left > 0; left -= 1) numbers.push(next());
  return numbers;
}
