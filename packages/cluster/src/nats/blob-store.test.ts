import { expect, test, vi } from 'vitest';
import { NatsBlobStore } from './blob-store.js';
import type { Broker } from './connection.js';

const CHUNKS = '$O.sbx-files.C.';
const never = () => false;
const text = (value: string) => Buffer.from(value);

interface Message {
  subject: string;
  data: Buffer;
}

/** A broker with these messages, in a stream whose first number is not 1. */
function storeOf(messages: Message[], sizeBytes: number) {
  const entry = { nuid: 'n', size: sizeBytes };
  const asked = vi.fn();
  const getMessage = async (_stream: string, query: { seq?: number; next_by_subj?: string }) => {
    if (query.next_by_subj === undefined) return { json: () => entry };
    asked(query.seq);
    const stored = messages.map((message, index) => ({ ...message, seq: index + 7 }));
    return stored.find(({ subject, seq }) => subject === query.next_by_subj && seq >= query.seq!) ?? null;
  };
  const broker = { manager: { direct: { getMessage } }, filesAreDirect: true } as unknown as Broker;
  return { store: new NatsBlobStore(broker), asked };
}

const own = (value: string): Message => ({ subject: `${CHUNKS}n`, data: text(value) });
const foreign: Message = { subject: `${CHUNKS}other`, data: text('--') };
const letters = [...'abcdefghijklmnopqrstuvwxyz'];

test.each([
  ['one after the other', letters.map(own)],
  ['between those of another', letters.flatMap((letter) => [own(letter), foreign])],
  ['at any distance', letters.flatMap((letter, i) => [own(letter), ...Array<Message>(i % 4).fill(foreign)])],
])('chunks %s are the content in its order', async (_, messages) => {
  const { store } = storeOf(messages, letters.length);
  expect(String(await store.get('hash', letters.length, never))).toBe(letters.join(''));
});

test('what is evenly apart is asked for once each, and nothing beyond the end', async () => {
  for (const apart of [0, 1, 3]) {
    const messages = letters.flatMap((letter) => [own(letter), ...Array<Message>(apart).fill(foreign)]);
    const { store, asked } = storeOf(messages, letters.length);
    await store.get('hash', letters.length, never);
    expect(asked.mock.calls.length).toBe(letters.length);
  }
});

test('a content with more than its size, or with less, is an error', async () => {
  const { store } = storeOf(letters.map(own), 3);
  await expect(storeOf([own('ab'), own('cd')], 3).store.get('hash', 3, never)).rejects.toThrow('too much');
  expect(String(await store.get('hash', 3, never))).toBe('abc');
  await expect(storeOf([own('ab')], 3).store.get('hash', 3, never)).rejects.toThrow('only a part');
});
