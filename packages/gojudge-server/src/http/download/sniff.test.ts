import { expect, it } from 'vitest';
import { sniff } from './sniff.js';

it.each([
  ['', 'text/plain; charset=utf-8'],
  ['hello\n', 'text/plain; charset=utf-8'],
  ['\t\n <HTML>', 'text/html; charset=utf-8'],
  ['<p>', 'text/html; charset=utf-8'],
  ['<pre>', 'text/plain; charset=utf-8'],
  ['<!-- x', 'text/html; charset=utf-8'],
  [' <?xml version="1.0"?>', 'text/xml; charset=utf-8'],
  ['%PDF-1.7', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['RIFF\0\0\0\0WEBPVP8', 'image/webp'],
  ['RIFF\n\n\n\nWAVE', 'audio/wave'],
  ['\x1f\x8b\x08\0', 'application/x-gzip'],
  ['PK\x03\x04', 'application/zip'],
  ['\0asm', 'application/wasm'],
  ['\0\0\0\x14ftypisom\0\0\0\0mp42', 'video/mp4'],
  ['\0\0\0\x10ftypmp41\0\0\0\0', 'video/mp4'],
  ['\0\0\0\x10ftypisommp42', 'application/octet-stream'],
  ['\0\0\0\x14ftypisom\0\0\0\0', 'application/octet-stream'],
  ['\x7fELF\x02\x01', 'application/octet-stream'],
  ['a\0b', 'application/octet-stream'],
])('%j is %s', (text, type) => {
  expect(sniff(Buffer.from(text, 'latin1'))).toBe(type);
});

it('looks at 512 bytes and no further', () => {
  const text = 'a'.repeat(512);
  expect(sniff(Buffer.from(`${text}\0`))).toBe('text/plain; charset=utf-8');
  expect(sniff(Buffer.from(`${text.slice(1)}\0`))).toBe('application/octet-stream');
});
