// What TypeScript knows of the boundary, made from the tables beside this file: two sources of
// packages/core/src.
import { readFileSync } from 'node:fs';

const TABLES = ['bounds', 'lists', 'requests', 'reports', 'stages'];

/** By macro: the list's name in TypeScript, the name of its type, its docstring. */
const LISTS = {
  COUNTER: ['COUNTERS', 'CounterName', 'Files of a cgroup that are handed to the helper.'],
  CAUSE: ['CAUSES', 'Cause', 'Why the supervisor ended a program, if it did.'],
  FAMILY: [
    'SYSCALL_FAMILIES',
    'SyscallFamily',
    "Families of `ProgramOptions.seccompFamily`: C, C++, Rust and Go are `'native'`, Erlang and Elixir `'beam'`.",
  ],
  PROC_MODE: ['PROC_MODES', 'ProcMode', "What a sandbox's /proc can be."],
  ALLOWABLE: [
    'ALLOWABLE_SYSCALLS',
    'AllowableSyscall',
    'System calls that `EngineOptions.allowSyscalls` knows.',
  ],
  MOUNT_KIND: ['MOUNT_KINDS', 'MountKind', 'Kinds of rows of the mount table.'],
};

const FLAGS = { PREPARE_FLAG: 'Prepare', START_FLAG: 'Start' };
const REQUESTS = {
  NEW_SLOT: 'NewSlot',
  GROUPS: 'Groups',
  PREPARE: 'Prepare',
  START: 'Start',
  ACTIVATE: 'Activate',
  SIGNAL: 'Signal',
  MAKE_SOCKET: 'MakeSocket',
};
/** Of a report, what follows its numbers: name, type, docstring, how it begins. */
const BESIDE = {
  READY: ['fds', 'number[]', '', 'nextAll()'],
  STARTED: ['fds', 'number[]', '', 'nextAll()'],
  SOCKET: ['fds', 'number[]', '', 'nextAll()'],
  ENDED: [
    'outputs',
    '(Uint8Array | number | null)[] | undefined',
    'By the rows of the start, which had some: all that the file holds, `null` for nothing, or a descriptor to read it from.',
    'undefined',
  ],
};
const REPORTS = { READY: 'Ready', FAILED: 'Failed', STARTED: 'Started', ENDED: 'Ended', SOCKET: 'Socket' };

/** By the last column of a row: its type, how it is sent and how it is received. */
const WAYS = {
  number: ['number', (value) => value, 'next()'],
  flag: ['boolean', (value) => `${value} ? 1 : 0`, 'next() === 1'],
  figure: ['number | null', (value) => `${value} ?? UNKNOWN`, 'nextFigure()'],
  text: ['string'],
  cause: ['Cause', (value) => `CAUSES.indexOf(${value})`, "CAUSES[next()] ?? 'none'"],
  stage: ['Stage', null, "STAGES[next()]?.[0] ?? 'none'"],
};

/** Rows of all tables by macro: `{ cells, doc }`. */
function readRows() {
  const rows = {};
  for (const table of TABLES) {
    let doc = [];
    for (const line of readFileSync(new URL(`${table}.def`, import.meta.url), 'utf8').split('\n')) {
      const row = /^SBX_(\w+)\((.*)\)$/.exec(line);
      if (row !== null) {
        rows[row[1]] ??= [];
        rows[row[1]].push({ cells: row[2].split(/,\s*/), doc: doc.join(' ') });
      }
      doc = line.startsWith('// ') && !line.startsWith('// ----') ? [...doc, line.slice(3)] : [];
    }
  }
  return rows;
}

/**
 * Of all rows: what differs in them differs in this, so that parts of different builds refuse each other. 31
 * bits.
 */
export function protocolVersion() {
  let hash = 0;
  for (const character of JSON.stringify(
    Object.entries(readRows()).map(([macro, rows]) => [macro, rows.map(({ cells }) => cells)]),
  ))
    hash = (Math.imul(hash, 31) + character.codePointAt(0)) | 0;
  return hash >>> 1;
}

const docOf = (doc, indent = '') => (doc === '' ? '' : `${indent}/** ${doc} */\n`);
const screaming = (name) => name.replace(/(?<=.)[A-Z]/g, '_$&').toUpperCase();

function bound({ cells: [name, value], doc }) {
  const product = value.split('*').reduce((all, factor) => all * Number(factor), 1);
  return `${docOf(doc)}export const ${screaming(name.slice(1))} = ${product};\n`;
}

function list(macro, rows) {
  const [name, type, doc] = LISTS[macro];
  const names = rows.map(({ cells }) => `'${cells[1]}'`).join(', ');
  return `${docOf(doc)}export const ${name} = [${names}] as const;\n${docOf(`One of \`${name}\`.`)}export type ${type} = (typeof ${name})[number];\n`;
}

/** An interface of `fields`: name, type, docstring. */
function shape(name, doc, fields) {
  const lines = fields.map(([field, type, about]) => `${docOf(about, '  ')}  ${field}: ${type};\n`);
  return `${docOf(doc)}export interface ${name} {\n${lines.join('')}}\n`;
}

function flags(macro, rows) {
  const name = FLAGS[macro];
  const fields = rows.map(({ cells: [, field], doc }) => [field, 'boolean', doc]);
  const bits = rows.map(({ cells: [, field] }, bit) => `    (flags.${field} ? ${2 ** bit} : 0)`);
  return `${shape(`${name}Flags`, '', fields)}
export function ${name.toLowerCase()}Bits(flags: Partial<${name}Flags>): number {
  return (
${bits.join(' |\n')}
  );
}
`;
}

function request(macro, rows) {
  const name = REQUESTS[macro];
  const fields = rows.map(({ cells: [, field, as], doc }) => [field, WAYS[as][0], doc]);
  const puts = rows.map(({ cells: [, field, as] }) => `  put(${WAYS[as][1](`message.${field}`)});\n`);
  return `${shape(`${name}Numbers`, '', fields)}
export function put${name}(message: ${name}Numbers): void {
${puts.join('')}}
`;
}

/**
 * Each is made in one piece: an object that is copied into another has a hidden class that V8 has not seen
 * before.
 */
function report(macro, rows) {
  const name = REPORTS[macro];
  const kind = name.toLowerCase();
  const fields = rows.map(({ cells: [, field, as], doc }) => [field, WAYS[as][0], doc, WAYS[as][2]]);
  if (BESIDE[macro] !== undefined) fields.push(BESIDE[macro]);
  const reads = fields.map(([field, , , read]) => `    ${field}: ${read},\n`);
  return `${shape(`${name}Report`, '', [['kind', `'${kind}'`, ''], ...fields])}
export function read${name}(): ${name}Report {
  return {
    kind: '${kind}',
${reads.join('')}  };
}
`;
}

/** Lists of a start, which follow its numbers: rows of numbers, descriptors, texts. */
function startLists(rows) {
  const numbers = [...rows.START_LIST, ...rows.START_FDS].map(({ cells: [name], doc }) => [
    name,
    'readonly number[]',
    doc,
  ]);
  const texts = rows.START_TEXTS.map(({ cells: [name], doc }) => [name, 'readonly string[]', doc]);
  return `${shape('StartLists', '', [...numbers, ...texts])}
export function putStartLists(message: StartLists): void {
${numbers.map(([name]) => `  putAll(message.${name});\n`).join('')}${texts.map(([name]) => `  put(message.${name}.length);\n`).join('')}}
`;
}

const each = (table, write) => (rows) =>
  Object.keys(table)
    .map((macro) => write(macro, rows[macro]))
    .join('\n');

const MADE = 'Made from native/protocol/*.def by `node native/build.mjs`: edit the tables there.';

function tablesSource(rows) {
  const kinds = rows.KIND.map(({ cells: [, name, value] }) => `  ${name}: ${value},\n`);
  const fdFlags = rows.FD_FLAG.map(
    ({ cells: [, name], doc }, bit) => `${docOf(doc)}export const FD_${name.toUpperCase()} = ${2 ** bit};\n`,
  );
  const stages = rows.STAGE.map(({ cells: [name, text] }) => `  ['${name}', ${text}],\n`);
  return `/** Bounds and names that native code has, too. ${MADE} */

/** Of the tables that this was made from; the addon has one, too. */
export const PROTOCOL_VERSION = ${protocolVersion()};

${rows.BOUND.map(bound).join('')}
${each(LISTS, list)(rows)}
/** Steps at which native code can fail, each with the words that go on after "could not". */
export const STAGES = [
${stages.join('')}] as const;
/** A step at which native code can fail. */
export type Stage = (typeof STAGES)[number][0];

/** Numbers of messages. */
export const KIND = {
${kinds.join('')}} as const;

${fdFlags.join('')}`;
}

function recordsSource(rows) {
  const mountFlags = rows.MOUNT_FLAG.map(({ cells: [, name], doc }) => [`${name}?`, 'boolean', doc]);
  const template = rows.TEMPLATE.map(({ cells: [, field, as], doc }) => [field, WAYS[as][0], doc]);
  return `/** Fields of what crosses the boundary, sent and received by position. ${MADE} */
import { next, nextAll, nextFigure, put, putAll, UNKNOWN } from './row.js';
import { CAUSES, type Cause, STAGES, type Stage } from './tables.js';

${shape('MountFlags', '', mountFlags)}
${shape('TemplateFields', '', template)}
${each(FLAGS, flags)(rows)}
${each(REQUESTS, request)(rows)}
${startLists(rows)}
${each(REPORTS, report)(rows)}`;
}

/** Sources by their names in packages/core/src. */
export function typescriptSources() {
  const rows = readRows();
  return { 'native/tables.ts': tablesSource(rows), 'native/records.ts': recordsSource(rows) };
}
