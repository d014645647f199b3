/**
 * Lines `start` to `end` of a text, from 1 and both included; past its end is no fault. Line ends stay as
 * they are.
 */
export function linesOf(text: string, start?: number, end?: number): string {
  if (start === undefined && end === undefined) return text;
  const lineEnd = ['\r\n', '\n', '\r'].find((it) => text.includes(it)) ?? '\n';
  const lines = text.split(lineEnd);
  return lines.slice(Math.max(1, start ?? 1) - 1, end ?? lines.length).join(lineEnd);
}
