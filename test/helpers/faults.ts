// The helper whose steps can be made to fail (native/helper/faults.h), and the table it shares with the test.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Engine, type EngineInfo, type EngineOptions } from '@sbx/core';

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

/** Builds helper and addon and makes this process use them, with a table of so many bytes behind its head. */
function openTable(name: string, bytes: number): number {
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, [join(root, 'native/build.mjs'), '--faults']);
  const file = openSync(join(folder, name), 'w+');
  writeSync(file, Buffer.alloc(HEAD_BYTES + bytes), 0, undefined, 0);
  process.env.SBX_NATIVE_PATH = folder;
  return file;
}

/** Whether the armed fault has not happened; it is taken back. */
function takeBack(file: number): boolean {
  const armed = new Uint32Array(1);
  readSync(file, armed, 0, 4, 0);
  writeSync(file, Uint32Array.of(0), 0, 4, 0);
  return armed[0] === 1;
}

/** Names of the stages in the order of their numbers, from the table that the enum is made of. */
function stageNames(): string[] {
  const text = readFileSync(join(root, 'native/protocol/stages.def'), 'utf8');
  return [...text.matchAll(/^SBX_STAGE\((\w+), /gm)].map(([, name]) => name!);
}

export class FaultTable {
  readonly #file: number;
  readonly #stages = stageNames();

  /** Before the first engine is opened. */
  constructor() {
    this.#file = openTable('table', STAGES * INDEXES);
  }

  /** The next time that this step is reached it fails with this error number. */
  arm({ stage, index }: Step, errno: number): void {
    writeSync(this.#file, Uint32Array.of(0, this.#stages.indexOf(stage), index, errno), 0, HEAD_BYTES, 0);
    writeSync(this.#file, Uint32Array.of(1), 0, 4, 0);
  }

  /** Whether the armed step was not reached; it is taken back. */
  disarm(): boolean {
    return takeBack(this.#file);
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

/** A system call of the addon: its number, and which of them, from 0. */
export interface AddonCall {
  number: number;
  skip: number;
}

// As in native/common/call_faults.h.
const CALLS = 512;

export class CallTable {
  readonly #file: number;

  /** Before the first engine is opened. */
  constructor() {
    this.#file = openTable('calls', CALLS * 4);
  }

  /** This call, counted from now on, fails with this error number. */
  arm({ number, skip }: AddonCall, errno: number): void {
    writeSync(this.#file, Uint32Array.of(0, number, skip, errno), 0, HEAD_BYTES, 0);
    writeSync(this.#file, Uint32Array.of(1), 0, 4, 0);
  }

  /** Whether the armed call was not made; it is taken back. */
  disarm(): boolean {
    return takeBack(this.#file);
  }

  /** Number of a call → how often it was made so far. */
  made(): Map<number, number> {
    const made = new Uint32Array(CALLS);
    readSync(this.#file, made, 0, made.byteLength, HEAD_BYTES);
    return new Map([...made.entries()].filter(([, times]) => times > 0));
  }

  close(): void {
    closeSync(this.#file);
  }
}

/**
 * Opens, exercises and closes with the armed fault; all that was thrown. `expectClean` with `null`: no engine
 * was opened.
 */
export async function errorsWithFault(
  options: EngineOptions,
  exercise: (engine: Engine) => Promise<void>,
  expectClean: (info: EngineInfo | null) => Promise<void>,
): Promise<unknown[]> {
  const errors: unknown[] = [];
  const engine = await Engine.open(options).catch((error) => void errors.push(error));
  if (engine === undefined) {
    await expectClean(null);
    return errors;
  }
  const info = engine.info();
  try {
    for (let round = 0; round < 2; round += 1) await exercise(engine).catch((error) => errors.push(error));
    await exercise(engine); // the same engine serves as before
  } finally {
    await engine.close();
    await expectClean(info);
  }
  return errors;
}
