/** A definition as a user writes it → a checked, frozen `Language`. */
import { InvalidOptionsError, SYSCALL_FAMILIES } from '@sbx/core';
import type { Language, LanguageDefinition } from './language.js';
import { limits, validate, wrongType } from './options.js';

type Check = (value: unknown, field: string) => void;

const text: Check = (value, field) => {
  if (typeof value !== 'string' || value === '')
    throw wrongType(field, 'must be a string that is not empty', value);
};
const texts: Check = (value, field) => {
  if (!Array.isArray(value)) throw wrongType(field, 'must be an array of strings', value);
  for (const [index, item] of value.entries()) text(item, `${field}[${index}]`);
};
const oneOf =
  (expected: string, ...tests: ((value: unknown) => boolean)[]): Check =>
  (value, field) => {
    if (!tests.some((test) => test(value))) throw wrongType(field, expected, value);
  };
const matching =
  (pattern: RegExp, expected: string): Check =>
  (value, field) => {
    text(value, field);
    if (pattern.test(value as string)) return;
    throw new InvalidOptionsError({ field, rule: 'format', expected, got: JSON.stringify(value) });
  };
const each =
  (check: Check): Check =>
  (value, field) => {
    texts(value, field);
    for (const [index, item] of (value as string[]).entries()) check(item, `${field}[${index}]`);
  };

const isFunction = (value: unknown) => typeof value === 'function';
const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');

const languageName = matching(
  /^[a-z0-9][a-z0-9+#.-]*$/,
  'must be lower-case letters, digits, "+", "#", "-" or "."',
);
const extension = matching(/^\.[A-Za-z0-9+.-]+$/, 'must start with a dot, as ".py"');

const STEP = {
  file: text,
  args: oneOf('must be an array of strings or a function', isTexts, isFunction),
  env: oneOf('must be a plain object or a function', isRecord, isFunction),
  limits,
  readsMemoryLimit: oneOf('must be true or false', (value) => typeof value === 'boolean'),
};
const COMPILE_STEP = {
  ...STEP,
  output: texts,
  files: oneOf('must be a function', isFunction),
};
const VERSION = {
  file: text,
  args: texts,
  pattern: oneOf('must be a regular expression', (value) => value instanceof RegExp),
};
const STANDBY = { probe: text, prelude: oneOf('must be a function', isFunction) };
const DEFINITION: Record<keyof LanguageDefinition, Check> = {
  name: languageName,
  title: text,
  aliases: each(languageName),
  extensions: each(extension),
  fileName: oneOf('must be a string or a function', (value) => typeof value === 'string', isFunction),
  env: oneOf('must be a plain object', isRecord),
  compile: (value, field) => validate(value as object, COMPILE_STEP, ['file', 'output'], field),
  run: (value, field) => validate(value as object, STEP, ['file'], field),
  needs: texts,
  version: (value, field) => validate(value as object, VERSION, ['file', 'args', 'pattern'], field),
  standby: (value, field) => validate(value as object, STANDBY, ['probe', 'prelude'], field),
  asksAge: oneOf('must be a regular expression', (value) => value instanceof RegExp),
  debianPackage: text,
  essentialPackages: texts,
  seccompFamily: oneOf(`must be one of ${SYSCALL_FAMILIES.join(', ')}`, (value) =>
    (SYSCALL_FAMILIES as readonly unknown[]).includes(value),
  ),
};

/** Checks a definition and fills in its defaults. `field` is how errors call it. */
export function makeLanguage(definition: LanguageDefinition, field = 'language'): Language {
  validate(definition, DEFINITION, ['name', 'fileName', 'run'], field);
  return Object.freeze({
    ...definition,
    title: definition.title ?? definition.name,
    aliases: Object.freeze([...(definition.aliases ?? [])]),
    extensions: Object.freeze([...(definition.extensions ?? [])]),
    env: Object.freeze({ ...definition.env }),
    needs: Object.freeze([...(definition.needs ?? programsOf(definition))]),
  });
}

/** The programs of the steps, without those that the compile step makes. */
function programsOf({ compile, run }: LanguageDefinition): string[] {
  const files = compile === undefined ? [run.file] : [compile.file, run.file];
  return [...new Set(files)].filter((file) => file.startsWith('/') || !file.includes('/'));
}
