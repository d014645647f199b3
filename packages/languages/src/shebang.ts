/**
 * The interpreter's name in a `#!` line, without folder and version: `'python3'` for
 * `#!/usr/bin/env python3.11`; `null` without one.
 */
export function shebangName(code: string): string | null {
  const line = /^#![ \t]*(\S+)[ \t]*(?:(?:-S[ \t]+)?(\S+))?/.exec(code);
  if (line === null) return null;
  const program = baseName(line[1]!);
  const name = program === 'env' ? baseName(line[2] ?? '') : program;
  return name === '' ? null : name.replace(/\.\d+$/, '');
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
