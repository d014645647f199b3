// A WebSocket stack of another language: Python, standard library only, each byte sent and read alone.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { execute, type Heard, useServer } from './server.js';

const served = useServer();
const CLIENT = fileURLToPath(new URL('byte-client.py', import.meta.url));

/** What the client printed: headers, messages, close code. */
async function talk(
  style: string,
  messages: object[],
): Promise<{ head: string; heard: Heard[]; close: number }> {
  const { port } = new URL(served.url);
  const child = spawn('python3', [CLIENT, '127.0.0.1', port, style]);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.end(messages.map((message) => JSON.stringify(message)).join('\n'));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { head: lines[0], heard: lines.slice(1, -1), close: lines.at(-1).close };
}

const text = 'grüße, 世界, 👩‍🚀\n';

test.each(['whole', 'fragments', 'pings'])('frames byte by byte, %s', async (style) => {
  const ids = ['one', 'two', 'three'];
  const messages = ids.map((id, index) =>
    execute({ id, language: ['python', 'javascript', 'shell'][index]!, code: CODES[index]!, stdin: text }),
  );
  const { head, heard, close } = await talk(style, messages);
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  expect(head).toMatch(/^X-Protocol-Version: 1\r$/m);
  expect(head).not.toMatch(/Sec-WebSocket-(Extensions|Protocol)/i);
  expect(close).toBe(1000);
  for (const id of ids) {
    const own = heard.filter((message) => message.id === id);
    expect(own.map(({ type, status }) => status ?? type).join(' ')).toMatch(
      /^ack running( stdout)+ completed result$/,
    );
    expect(own.map(({ data = '' }) => data).join('')).toBe(text);
  }
});

const CODES = ['print(input())', "process.stdin.on('data', (data) => process.stdout.write(data))", 'cat'];
