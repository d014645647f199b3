/** What a program of ours loads of other packages. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RECORDER = fileURLToPath(new URL('recorder.mjs', import.meta.url));

/** Of a Node that is started with these arguments and variables. */
export class LoadedPackages implements Disposable {
  readonly args = ['--import', RECORDER];
  readonly env: { RECORD: string };
  readonly #folder = mkdtempSync(join(tmpdir(), 'sbx-test-loads-'));

  constructor() {
    this.env = { RECORD: join(this.#folder, 'record') };
    writeFileSync(this.env.RECORD, '');
  }

  /** Their names so far, without Node's own. */
  get names(): string[] {
    const names = new Set(readFileSync(this.env.RECORD, 'utf8').trim().split('\n'));
    return [...names].filter((name) => name !== '' && !Module.isBuiltin(name)).sort();
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true });
  }
}
