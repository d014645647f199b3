/** A program and its limits, as the fields of the page hold them; and a link that carries them. */

export interface RunRequest {
  language: string;
  code: string;
  stdin: string;
  /** One argument a line. */
  args: string;
  /** Other files by name. */
  files: readonly { name: string; text: string }[];
  protocol: 'gojudge' | 'fathom';
  cpuTimeMs: number;
  wallTimeMs: number;
  memoryMib: number;
  processCount: number;
  outputKib: number;
}

export const FIRST_REQUEST: RunRequest = {
  language: 'python',
  code: 'for n in range(1, 6):\n    print(n, n * n, flush=True)\n',
  stdin: '',
  args: '',
  files: [],
  protocol: 'gojudge',
  cpuTimeMs: 1000,
  wallTimeMs: 3000,
  memoryMib: 256,
  processCount: 64,
  outputKib: 1024,
};

/** Fields that are numbers, with their bounds: the page's, the link's and the check's. */
export const NUMBERS = [
  { name: 'cpuTimeMs', label: 'CPU time', unit: 'ms', min: 1, max: 300_000 },
  { name: 'wallTimeMs', label: 'Wall time', unit: 'ms', min: 1, max: 300_000 },
  { name: 'memoryMib', label: 'Memory', unit: 'MiB', min: 4, max: 16_384 },
  { name: 'processCount', label: 'Processes', unit: '', min: 1, max: 512 },
  { name: 'outputKib', label: 'Output', unit: 'KiB', min: 1, max: 65_536 },
] as const;

/** A link longer than this is no link of ours; browsers and proxies would cut it. */
const LINK_LENGTH_MAX = 100_000;

export function argsOf({ args }: RunRequest): string[] {
  return args.split('\n').filter((arg) => arg !== '');
}

/** The part of an address behind `#`. */
export function linkOf(request: RunRequest): string {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const base64 = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `run=${base64}`;
}

/** `null`: it is none, or it was changed on its way. */
export function requestOf(hash: string): RunRequest | null {
  const [, base64] = /^#?run=([\w-]+)$/.exec(hash) ?? [];
  if (base64 === undefined || base64.length > LINK_LENGTH_MAX) return null;
  try {
    const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return checked(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

/** Anybody can make a link: each field is of its type and within its bounds, or the default is taken. */
function checked(value: Partial<Record<keyof RunRequest, unknown>>): RunRequest {
  const text = (name: 'language' | 'code' | 'stdin' | 'args') => {
    const given = value[name];
    return typeof given === 'string' ? given : FIRST_REQUEST[name];
  };
  const numbers = NUMBERS.map(({ name, min, max }) => {
    const given = value[name];
    const isFine = Number.isInteger(given) && (given as number) >= min && (given as number) <= max;
    return [name, isFine ? given : FIRST_REQUEST[name]];
  });
  const files = Array.isArray(value.files) ? value.files.filter(isFile).slice(0, 16) : [];
  return {
    ...FIRST_REQUEST,
    ...(Object.fromEntries(numbers) as Pick<RunRequest, (typeof NUMBERS)[number]['name']>),
    language: text('language'),
    code: text('code'),
    stdin: text('stdin'),
    args: text('args'),
    files: files.map(({ name, text: content }) => ({ name, text: content })),
    protocol: value.protocol === 'fathom' ? 'fathom' : 'gojudge',
  };
}

function isFile(value: unknown): value is { name: string; text: string } {
  const { name, text } = (value ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && name !== '' && typeof text === 'string';
}
