// Expressions that may take longer than in proportion to their text, and why none does here. Keys are
// `package/file: expression`.

export const REASONS = {
  own: 'the text is of the system, or of the host’s own caller, and short',
  short: 'the text has a bound of some characters before',
} as const;

export const JUDGED: Readonly<Record<string, keyof typeof REASONS>> = {
  'adapters/shared/files.ts: /\\/+$/': 'own',
  'core/files/archive-time.ts: /0+$/': 'short',
  'core/public/watch.ts: /\\/+$/': 'own',
  'core/root/libraries.ts: /^include\\s+(.+)$/': 'own',
  'core/root/packages.ts: /[\\s(:[].*$/': 'own',
  'core/root/packages.ts: /^([A-Za-z-]+): *(.*)$/': 'own',
  'core/root/rows.ts: /\\/+$/': 'own',
  'gojudge-client/client.ts: /\\/+$/': 'own',
  'gojudge-server/judge/cpu-list.ts: /(\\d+)\\s*$/': 'own',
};
