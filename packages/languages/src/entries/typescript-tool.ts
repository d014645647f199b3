import { createRequire } from 'node:module';

/** The transformer's one file on the host, to be copied into the sandbox. It is never loaded here. */
export function transformerFile(): string {
  return createRequire(import.meta.url).resolve('@swc/wasm-typescript');
}
