export interface Case {
  file: string;
  name: string;
  /** What the engine or the server must have for it; see test/gojudge/conformance.test.ts. */
  needs?: string;
}
export interface ServerAddress {
  url: string;
  token?: string;
}
export function readCorpus(options?: { isOriginal?: boolean }): Case[];
export function transportsOf(one: Case): string[];
export function runCase(server: ServerAddress, one: Case, transport: string): Promise<string[]>;
