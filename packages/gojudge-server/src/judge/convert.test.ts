import { describe, expect, it } from 'vitest';
import { BadRequest } from '../errors.js';
import type { DecodedCmd, DecodedFile, DecodedRequest } from '../wire/request.js';
import { convertRequest } from './convert.js';
import type { Settings } from './settings.js';

const SETTINGS = { srcPrefix: ['/etc'], copyOutLimitBytes: 1000 } as unknown as Settings;
const jobOf = (raw: DecodedRequest, stream = false) => convertRequest(raw, SETTINGS, stream);
const programOf = (cmd: DecodedCmd, stream = false) => jobOf({ cmd: [cmd] }, stream).programs[0]!;
const fileOf = (file: DecodedFile, stream = false) => programOf({ files: [file] }, stream).files[0];

it('what is left out is as Go’s zero values', () => {
  expect(jobOf({})).toEqual({ requestId: '', programs: [], pipes: [] });
  expect(programOf({})).toEqual({
    args: [],
    env: [],
    files: [],
    tty: false,
    limits: {
      cpuNs: 0,
      clockNs: 0,
      explicitClockNs: 0,
      memoryBytes: 0,
      stackBytes: 0,
      processCount: 0,
      cpuRate: 0,
      cpuSet: '',
      dataSegment: false,
      addressSpace: false,
    },
    copyIn: [],
    copyOut: [],
    cachedNames: new Set(),
    copyOutMax: 1000,
    truncate: false,
  });
});

describe('limits', () => {
  it.each([
    ['the old name of the clock limit counts first', { realCpuLimit: 3, clockLimit: 4 }, 3, 3],
    ['then the new one', { cpuLimit: 2, clockLimit: 4 }, 4, 4],
    ['without both it is that of the CPU', { cpuLimit: 2 }, 0, 2],
    ['as with 0', { cpuLimit: 2, clockLimit: 0 }, 0, 2],
  ])('%s', (_, cmd, explicitClockNs, clockNs) => {
    expect(programOf(cmd).limits).toMatchObject({ explicitClockNs, clockNs });
  });

  it('the old name of the data limit counts as well', () => {
    expect(programOf({ strictMemoryLimit: true }).limits.dataSegment).toBe(true);
    expect(programOf({ dataSegmentLimit: true }).limits.dataSegment).toBe(true);
  });
});

describe('files', () => {
  it.each([
    [{ src: '/etc/passwd' }, { kind: 'src', path: '/etc/passwd' }],
    [{ content: '' }, { kind: 'content', text: '' }],
    [{ fileId: 'X' }, { kind: 'stored', id: 'X' }],
    [
      { name: 'stdout', max: 5 },
      { kind: 'collector', name: 'stdout', max: 5, pipe: false },
    ],
    [
      { name: 'stdout', max: 5, pipe: true },
      { kind: 'collector', name: 'stdout', max: 5, pipe: true },
    ],
    [
      { src: '/etc/passwd', content: 'b', fileId: 'c' },
      { kind: 'src', path: '/etc/passwd' },
    ],
  ])('%j', (file, expected) => {
    expect(fileOf(file)).toEqual(expected);
  });

  it.each([{}, { name: 'stdout' }, { max: 5 }, { streamIn: true }])('%j has no form', (file) => {
    expect(() => fileOf(file)).toThrow(BadRequest);
  });

  it('streams are forms of /stream alone', () => {
    expect(fileOf({ streamIn: true }, true)).toEqual({ kind: 'stream-in' });
    expect(fileOf({ streamOut: true }, true)).toEqual({ kind: 'stream-out' });
  });

  it('null stays, and more than 48 are refused', () => {
    expect(programOf({ files: [null] }).files).toEqual([null]);
    expect(programOf({ files: Array(48).fill(null) }).files).toHaveLength(48);
    expect(() => programOf({ files: Array(49).fill(null) })).toThrow('files: more than 48 entries');
  });

  it('more than 65536 files are refused', () => {
    const copyIn = (count: number) =>
      new Map(Array.from({ length: count }, (_, at) => [`${at}`, { content: '' }]));
    expect(programOf({ copyIn: copyIn(65_536) }).copyIn).toHaveLength(65_536);
    expect(() => programOf({ copyIn: copyIn(65_537) })).toThrow('copyIn: more than 65536 entries');
  });

  it('a path of the host is only where the server’s prefixes say', () => {
    expect(() => fileOf({ src: '/usr/bin/true' })).toThrow();
    expect(() => programOf({ copyIn: new Map([['a', { src: '/etc/../usr/bin/true' }]]) })).toThrow();
  });

  it('what goes in may be a link, or a collector, which fails later', () => {
    const copyIn = new Map<string, DecodedFile>([
      ['a', { symlink: 'b' }],
      ['b', { name: 'x', max: 1 }],
      ['c', { content: 'text' }],
    ]);
    expect(programOf({ copyIn }).copyIn).toEqual([
      ['a', { kind: 'symlink', target: 'b' }],
      ['b', { kind: 'unreadable' }],
      ['c', { kind: 'content', text: 'text' }],
    ]);
  });
});

describe('copyOut', () => {
  const entry = (name: string, more: object) => ({
    name,
    optional: false,
    cached: false,
    returned: true,
    ...more,
  });

  it('a question mark at the end says that a file may be missing', () => {
    const { copyOut, cachedNames } = programOf({ copyOut: ['a?', 'b'], copyOutCached: ['c?'] });
    expect(copyOut).toEqual([
      entry('a', { optional: true }),
      entry('b', {}),
      entry('c', { optional: true, cached: true }),
    ]);
    expect(cachedNames).toEqual(new Set(['c']));
  });

  it('nothing is returned twice: a stored one counts before a plain one, the first before the second', () => {
    const { copyOut } = programOf({ copyOut: ['a', 'a', 'b'], copyOutCached: ['b', 'b'] });
    expect(copyOut.map(({ name, cached, returned }) => [name, cached, returned])).toEqual([
      ['a', false, true],
      ['a', false, false],
      ['b', false, false],
      ['b', true, true],
      ['b', true, false],
    ]);
  });

  it('a collector’s name is not read as a file, nor is what a pipe records', () => {
    const files = [null, { name: 'stdout', max: 9 }];
    expect(programOf({ files, copyOut: ['stdout', 'x'] }).copyOut.map(({ name }) => name)).toEqual(['x']);
    const pipe = { in: { index: 0, fd: 1 }, out: { index: 1, fd: 0 }, proxy: true, name: 'talk', max: 9 };
    const { programs } = jobOf({ cmd: [{ copyOut: ['talk', 'x'] }, {}], pipeMapping: [pipe] });
    expect(programs[0]!.copyOut.map(({ name }) => name)).toEqual(['x']);
  });
});

describe('pipes', () => {
  it('each takes two descriptors, so that more than half of them all are refused', () => {
    const jobWith = (count: number) => jobOf({ cmd: [{}, {}], pipeMapping: Array(count).fill({}) });
    expect(jobWith(256).pipes).toHaveLength(256);
    expect(() => jobWith(257)).toThrow('pipeMapping: more than 256 entries for 2 programs');
  });

  it('of all recordings of a program no name is read as a file', () => {
    const recorded = (index: number, name: string) => ({ in: { index, fd: 1 }, proxy: true, name });
    const { programs } = jobOf({
      cmd: [{ copyOut: ['a', 'b', 'c'] }, { copyOut: ['a', 'c'] }],
      pipeMapping: [recorded(0, 'a'), recorded(0, 'b'), recorded(1, 'c'), recorded(7, 'a'), recorded(1, '')],
    });
    expect(programs.map(({ copyOut }) => copyOut.map(({ name }) => name))).toEqual([['c'], ['a']]);
  });

  const pipe = (fd: number) => ({ in: { index: 0, fd }, out: { index: 1, fd: 0 } });

  it('are not looked at for a single program', () => {
    expect(jobOf({ cmd: [{}], pipeMapping: [pipe(-1)] }).pipes).toEqual([]);
  });

  it.each([-1, 256])('descriptor %i is refused by its number', (fd) => {
    expect(() => jobOf({ cmd: [{}, {}], pipeMapping: [pipe(fd)] })).toThrow(
      `pipeMapping: fd ${fd} is not from 0 to 255`,
    );
  });

  it('what is left out of one is zero', () => {
    expect(jobOf({ cmd: [{}, {}], pipeMapping: [{}] }).pipes).toEqual([
      { writer: { index: 0, fd: 0 }, reader: { index: 0, fd: 0 }, proxy: false, name: '', max: 0 },
    ]);
  });
});
