/** Pages of several registries as one. */

/** A page may name each metric once: of two with one name, as those of the process, the first stays. */
export function mergeMetrics(pages: readonly string[]): string {
  const families = new Map<string, string>();
  for (const page of pages) {
    for (const family of page.split(/^(?=# HELP )/m)) {
      const [, name] = /^# HELP (\S+)/.exec(family) ?? [];
      if (name !== undefined && !families.has(name)) families.set(name, `${family.trimEnd()}\n`);
    }
  }
  return [...families.values()].join('\n');
}
