/** Rows that one cause makes miss are told once. */
import type { Check } from './types.js';

/** Neighbours that miss for the same reason with the same fix, together; each other row alone. */
export function groupRepeated(checks: readonly Check[]): Check[][] {
  const groups: Check[][] = [];
  for (const check of checks) {
    const last = groups.at(-1);
    if (last !== undefined && isRepeated(last[0]!, check)) last.push(check);
    else groups.push([check]);
  }
  return groups;
}

function isRepeated(first: Check, { state, found, fix, required, layer }: Check): boolean {
  const isSame = first.found === found && first.fix === fix && first.layer === layer;
  return state !== 'ok' && first.state === state && first.required === required && isSame;
}

/** `Guarantee a`, `b`, … → `Guarantees a, b`. */
export function titleOf(group: readonly Check[]): string {
  const titles = group.map(({ title }) => title);
  const names = titles.map((title) => /^Guarantee (.+)$/.exec(title)?.[1]);
  if (titles.length === 1 || names.includes(undefined)) return titles.join('; ');
  return `Guarantees ${names.join(', ')}`;
}
