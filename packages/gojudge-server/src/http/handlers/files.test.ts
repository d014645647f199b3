import { once } from 'node:events';
import { fstatSync, openSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Unsent } from '@sbx/serving';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type FileStore, StoreFullError } from '../../store/store.js';
import { deleteFile, downloadFile, listFiles, uploadFile } from './files.js';

const opened: number[] = [];
const add = vi.fn(async (_name: string, content: AsyncIterable<Uint8Array>) => {
  for await (const _chunk of content);
  return 'ID';
});
const store = {
  add,
  totals: { count: 100, bytes: 0, nameLength: 0 },
  list: async () =>
    new Map([
      ['b', '2'],
      ['a', '1'],
    ]),
  delete: async (id: string) => id === 'there',
  nameOf: () => 'null',
  openFd: (id: string) => (id === 'there' ? opened[opened.push(openSync('/dev/null', 'r')) - 1]! : null),
} as unknown as FileStore;
const context = { store, unsent: new Unsent(1000) };

let server: Server;
beforeAll(async () => {
  server = createServer((incoming, response) => {
    if (incoming.method === 'POST') void uploadFile(context, incoming, response);
    else void downloadFile(context, incoming, response, incoming.url!.slice(1));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());

async function ask(method: string, path: string, body = '') {
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', method, path, headers, agent: false }).end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text };
}
const UPLOAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ntext\r\n--b--\r\n';

test('an upload is answered with the id of the file', async () => {
  expect(await ask('POST', '/', UPLOAD)).toEqual({ status: 200, text: '"ID"' });
  expect(add.mock.lastCall![0]).toBe('a');
});

test('what is no upload is the client’s fault; a full store says so; the rest is ours', async () => {
  expect(await ask('POST', '/', '--b\r\nnothing')).toEqual({ status: 400, text: '' });
  add.mockRejectedValueOnce(new StoreFullError('full'));
  const full = await ask('POST', '/', UPLOAD);
  expect([full.status, typeof JSON.parse(full.text)]).toEqual([500, 'string']);
  add.mockRejectedValueOnce(new Error('no disk'));
  expect(await ask('POST', '/', UPLOAD)).toEqual({ status: 500, text: '' });
});

test('a file is sent and its descriptor closed; one that is not there is 404', async () => {
  expect((await ask('GET', '/there')).status).toBe(200);
  await expect.poll(() => opened.length).toBe(1);
  await expect
    .poll(() => {
      try {
        return fstatSync(opened[0]!).isCharacterDevice();
      } catch {
        return false;
      }
    })
    .toBe(false);
  expect((await ask('GET', '/gone')).status).toBe(404);
});

test('the list is sorted as Go writes maps; deleting says whether it was there', async () => {
  expect((await listFiles(context, { socket: new Socket() })).body).toBe('{"a":"1","b":"2"}');
  expect((await deleteFile(context, 'there')).status).toBe(200);
  expect((await deleteFile(context, 'gone')).status).toBe(404);
});

test('of lists that wait for room no more are made than have some', async () => {
  const unsent = new Unsent(1000);
  const list = vi.fn(store.list);
  const lists = Array.from({ length: 3 }, () =>
    listFiles({ store: { ...store, list } as unknown as FileStore, unsent }, { socket: new Socket() }),
  );
  await Promise.resolve();
  expect([list.mock.calls.length, unsent.hasRoom]).toEqual([1, false]);
  await lists[0];
  expect(list).toHaveBeenCalledOnce();
  await turn();
  expect(list).toHaveBeenCalledTimes(2);
  await Promise.all(lists);
  await turn();
  expect(unsent.bytes).toBe(0);
});
