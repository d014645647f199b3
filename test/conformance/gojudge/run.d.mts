export interface Case {
  file: string;
  name: string;
  /** What core must have for it; see test/gojudge/conformance.test.ts. */
  needs?: string;
}
export interface ServerAddress {
  url: string;
  token?: string;
}
export function readCorpus(): Case[];
export function transportsOf(one: Case): ('rest' | 'ws' | 'stream')[];
export function runCase(server: ServerAddress, one: Case, transport: string): Promise<string[]>;
