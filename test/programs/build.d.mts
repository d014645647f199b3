/** The folder that holds the compiled programs of `sources` (default: this folder), by name. */
export function buildPrograms(sources?: string): string;
