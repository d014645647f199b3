// The helper whose steps can be made to fail (native/helper/faults.h), and the table it shares with the test.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = join(root, 'build/faults');

// As in native/helper/faults.h.
const STAGES = 64;
const INDEXES = 256;
const HEAD_BYTES = 16;

/** A step of the helper: where it can fail. */
export interface Step {
  stage: string;
  index: number;
}

/** Names of the stages in the order of their numbers, from the table that the enum is made of. */
function stageNames(): string[] {
  const text = readFileSync(join(root, 'native/common/stage.h'), 'utf8');
  return [...text.matchAll(/^ {2}X\((\w+), "/gm)].map(([, name]) => name!);
}

export class FaultTable {
  readonly #file: number;
  readonly #stages = stageNames();

  /** Builds the helper and makes this process use it: before the first engine is opened. */
  constructor() {
    mkdirSync(folder, { recursive: true });
    execFileSync(process.execPath, [join(root, 'native/build.mjs'), '--faults']);
    this.#file = openSync(join(folder, 'table'), 'w+');
    writeSync(this.#file, Buffer.alloc(HEAD_BYTES + STAGES * INDEXES), 0, undefined, 0);
    process.env.SBX_NATIVE_PATH = folder;
  }

  /** The next time that this step is reached it fails with this error number. */
  arm({ stage, index }: Step, errno: number): void {
    writeSync(this.#file, Uint32Array.of(0, this.#stages.indexOf(stage), index, errno), 0, HEAD_BYTES, 0);
    writeSync(this.#file, Uint32Array.of(1), 0, 4, 0);
  }

  /** Whether the armed step was not reached; it is taken back. */
  disarm(): boolean {
    const armed = new Uint32Array(1);
    readSync(this.#file, armed, 0, 4, 0);
    writeSync(this.#file, Uint32Array.of(0), 0, 4, 0);
    return armed[0] === 1;
  }

  /** Every step that was reached so far. */
  seen(): Step[] {
    const seen = new Uint8Array(STAGES * INDEXES);
    readSync(this.#file, seen, 0, seen.byteLength, HEAD_BYTES);
    return [...seen.entries()]
      .filter(([, reached]) => reached === 1)
      .map(([at]) => ({ stage: this.#stages[Math.floor(at / INDEXES)]!, index: at % INDEXES }));
  }

  close(): void {
    closeSync(this.#file);
  }
}
