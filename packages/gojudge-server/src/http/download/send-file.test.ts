import { EventEmitter } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FilePart, sendFile } from './send-file.js';

const MIB = 2 ** 20;
let folder: string;
let fd: number;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'send-file-'));
  const path = join(folder, 'file');
  writeFileSync(path, Buffer.alloc(4 * MIB, 'x'));
  fd = openSync(path, 'r');
});
afterAll(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

/** A client that has received a chunk when the test says so, or at once. */
class Client extends EventEmitter {
  destroyed = false;
  ended = false;
  readonly lengths: number[] = [];
  readonly waiting: (() => void)[] = [];
  readonly #atOnce: boolean;
  constructor(atOnce: boolean) {
    super();
    this.#atOnce = atOnce;
  }
  write(chunk: string | Uint8Array, written?: () => void): void {
    this.lengths.push(chunk.length);
    if (written === undefined) return;
    if (this.#atOnce) written();
    else this.waiting.push(written);
  }
  end(): void {
    this.ended = true;
  }
}

const send = (client: Client, ...parts: FilePart[]) =>
  sendFile(client as unknown as ServerResponse, fd, parts);

test('texts and parts go out in order, in large chunks, and the response is ended', async () => {
  const client = new Client(true);
  await send(client, 'head', { start: 1, length: MIB + 5 }, 'tail!');
  expect([client.lengths, client.ended]).toEqual([[4, MIB, 5, 5], true]);
});

test('two chunks are on their way, and the third is read when the first has been received', async () => {
  const client = new Client(false);
  const sending = send(client, { start: 0, length: 4 * MIB });
  await expect.poll(() => client.lengths.length, { timeout: 10_000 }).toBe(2);
  for (let at = 0; at < 5; at += 1) await new Promise(setImmediate);
  expect(client.lengths).toHaveLength(2);
  client.waiting[0]!();
  await expect.poll(() => client.lengths.length, { timeout: 10_000 }).toBe(3);
  expect(client.ended).toBe(false);
  client.emit('close');
  await expect(sending).rejects.toThrow('the client went away');
});

test('a file that became shorter cuts the response off', async () => {
  const client = new Client(true);
  await expect(send(client, { start: 4 * MIB - 1, length: 2 })).rejects.toThrow('became shorter');
  expect(client.ended).toBe(false);
});

test('nothing is read for a client that had gone before', async () => {
  const client = new Client(false);
  client.destroyed = true;
  await expect(send(client, { start: 0, length: 4 * MIB })).rejects.toThrow('the client went away');
  expect(client.ended).toBe(false);
});
