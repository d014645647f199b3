/** Numbers out of counter files, as both versions write them. `null` for what is not there. */

/** v1 says nanoseconds and nothing else, v2 has a line in microseconds. */
export function cpuNsOf(text: string | null): number | null {
  const nanoseconds = numberOf(text);
  if (nanoseconds !== null) return nanoseconds;
  const microseconds = lineOf(text, 'usage_usec');
  return microseconds === null ? null : microseconds * 1000;
}

export function numberOf(text: string | null): number | null {
  return text !== null && /^\d/.test(text) ? Number.parseInt(text, 10) : null;
}

/** From a table of `key number` lines. */
export function lineOf(text: string | null, key: string): number | null {
  const match = text === null ? null : new RegExp(`^${key} (\\d+)`, 'm').exec(text);
  return match === null ? null : Number(match[1]);
}
