/** Sizes, durations and lists as go-judge's flags write them. `null` for what is none. */

const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };
const DURATION_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** `64k`, `1MB`, `10b`, `5`. */
export function parseSize(text: string): number | null {
  const match = /^(\d+)([kmg]?)b?$/i.exec(text.trim());
  return match === null ? null : Number(match[1]) * SIZE_UNITS[match[2]!.toLowerCase()]!;
}

/** As Go's time.ParseDuration, in ms: `100ms`, `1h30m`; a bare number is none, but for 0. */
export function parseDurationMs(text: string): number | null {
  if (/^[+-]?0$/.test(text)) return 0;
  const unsigned = text.replace(/^[+-]/, '');
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(unsigned)) return null;
  let ms = 0;
  for (const [, number, unit] of unsigned.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy)) {
    ms += Number(number) * DURATION_MS[unit!]!;
  }
  return text.startsWith('-') ? -ms : ms;
}

/** As Go's strconv.ParseBool. */
export function parseBool(text: string): boolean | null {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : null;
}

export function parseList(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

/** Data of a tmpfs mount: `size=128m,nr_inodes=4k`. */
export function parseTmpfsData(data: string): { sizeBytes: number | null; inodeCount: number | null } {
  const fields = new Map(
    data.split(',').map((part): [string, string] => {
      const at = part.indexOf('=');
      return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
    }),
  );
  const read = (name: string) => parseSize(fields.get(name) ?? '') || null;
  return { sizeBytes: read('size'), inodeCount: read('nr_inodes') };
}
