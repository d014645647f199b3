import { describe, expect, it } from 'vitest';
import { boundaryOf, parsePartHeaders } from './multipart-headers.js';

describe('the boundary', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data; charset=utf-8; BOUNDARY="a b;c"', 'a b;c'],
    ['multipart/form-data; boundary=', null],
    [`multipart/form-data; boundary=${'b'.repeat(256)}`, 'b'.repeat(256)],
    [`multipart/form-data; boundary=${'b'.repeat(257)}`, null],
    ['multipart/form-data', null],
    ['multipart/mixed; boundary=abc', null],
    ['', null],
  ])('of %j', (contentType, expected) => {
    expect(boundaryOf(contentType)).toBe(expected);
  });
});

describe('a part', () => {
  const part = (disposition: string, more = '') =>
    parsePartHeaders(Buffer.from(`Content-Disposition: ${disposition}\r\n${more}`));

  it.each([
    ['form-data; name="file"; filename="a.txt"', 'file', 'a.txt'],
    ['form-data; name=file; filename=a.txt', 'file', 'a.txt'],
    ['form-data; name="file"; filename="/etc/passwd"', 'file', 'passwd'],
    ['form-data; name="file"; filename="../../a"', 'file', 'a'],
    ['form-data; name="file"; filename="folder/"', 'file', 'folder'],
    ['form-data; name="file"; filename="//"', 'file', '/'],
    ['form-data; name="file"; filename="C:\\\\fakepath\\\\a \\"b\\".txt"', 'file', 'C:\\fakepath\\a "b".txt'],
    ['form-data; name="file"; filename="C:\\fakepath\\a.txt"', 'file', 'C:\\fakepath\\a.txt'],
    ['form-data; name="file"; filename="a"; filename*=UTF-8\'\'%e2%82%ac.txt', 'file', '€.txt'],
    ['form-data; name="file"; filename="a"; filename*=UTF-8\'\'%e2%8', 'file', 'a'],
    ['form-data; name="file"; filename="a"; filename*=latin1\'\'b', 'file', 'a'],
    ['attachment; name="file"; filename="a"', '', 'a'],
    ['form-data', '', ''],
  ])('%s', (disposition, name, fileName) => {
    expect(part(disposition)).toMatchObject({ name, fileName });
  });

  it('headers may go on in the next line, and have any case', () => {
    const headers =
      'CONTENT-disposition: form-data;\r\n name="file";\r\n\tfilename="a"\r\nContent-Transfer-Encoding: BASE64';
    expect(parsePartHeaders(Buffer.from(headers))).toEqual({
      name: 'file',
      fileName: 'a',
      encoding: 'base64',
    });
  });

  it.each(['a', '/', 'a/', '"; filename="'])('of hostile names, many of %j, it is done in time', (bit) => {
    const before = process.cpuUsage();
    part(`form-data; filename="${bit.repeat(2 ** 16 / bit.length)}/b"`);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  it('names of every object are names like others', () => {
    expect(part('form-data; __proto__=x; constructor=y; name=toString')).toMatchObject({ name: 'toString' });
    expect(parsePartHeaders(Buffer.from('no header at all'))).toEqual({
      name: '',
      fileName: '',
      encoding: '',
    });
  });
});
