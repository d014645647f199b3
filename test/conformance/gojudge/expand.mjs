// Requests as they are sent: likes.json has what most programs have in common.
import { readFileSync } from 'node:fs';

const likes = JSON.parse(readFileSync(new URL('./likes.json', import.meta.url), 'utf8'));

/** `{ "$repeat": ["x", 1000] }` is a long text. */
export function writeOut(template) {
  const long = (_key, value) =>
    value?.$repeat === undefined ? value : value.$repeat[0].repeat(value.$repeat[1]);
  return JSON.parse(JSON.stringify(template), long);
}

/**
 * `"like": "program"` in a cmd stands for the fields of that name; what the cmd says itself wins, `null`
 * takes a field away.
 */
export function expandRequest(request) {
  const { cmd, ...rest } = writeOut(request);
  return { ...rest, cmd: cmd.map(expandCmd) };
}

function expandCmd({ like, ...own }) {
  if (like === undefined) return own;
  const entries = Object.entries({ ...likes[like], ...own });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}
