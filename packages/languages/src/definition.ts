/** A definition as a user writes it → a checked, frozen `Language`. */
import { optionRules, SYSCALL_FAMILIES } from '@sbx/core';
import type {
  CompileStep,
  Language,
  LanguageDefinition,
  LanguageStep,
  StandbyHints,
  VersionProbe,
} from './language.js';
import { CODE, ENV, NAME, validate } from './options.js';

const { BOOLEAN, by, checkRule, isPlainObject, nested, ONE_SHOT_RULES, problem, quote } = optionRules;
const { table, within, word, wrongType } = optionRules;
type Check = optionRules.Check;
type Rule = optionRules.Rule;

const FUNCTION: Rule = { kind: 'function' };
const PATTERN = by((value) => (value instanceof RegExp ? null : wrongType('a regular expression', value)));
const TEXTS = by(listOf((value) => checkRule(value, NAME)));

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return wrongType('an array of strings', value);
    for (const [index, item] of value.entries()) {
      const found = check(item);
      if (found !== null) return within(`[${index}]`, found);
    }
    return null;
  };
}

function matching(pattern: RegExp, expected: string): Check {
  return (value) => {
    const found = checkRule(value, NAME);
    if (found !== null || pattern.test(value as string)) return found;
    return problem('format', expected, quote(value as string));
  };
}

/** A value that `rule` takes, or a function that makes one. */
function orFunction(rule: Rule, expected: string, isValue: (value: unknown) => boolean): Rule {
  return by((value) => {
    if (typeof value === 'function') return null;
    return isValue(value) ? checkRule(value, rule) : wrongType(`${expected} or a function`, value);
  });
}

const checkLanguageName = matching(
  /^[a-z0-9][a-z0-9+#.-]*$/,
  'must be lower-case letters, digits, "+", "#", "-" or "."',
);
const checkExtension = matching(/^\.[A-Za-z0-9+.-]+$/, 'must start with a dot, as ".py"');

const STEP = {
  file: NAME,
  args: orFunction(by(optionRules.checkArgs), 'an array of strings', Array.isArray),
  env: orFunction(ENV, 'a plain object', isPlainObject),
  limits: ONE_SHOT_RULES.limits,
  readsMemoryLimit: BOOLEAN,
};
const RUN_STEP = table<LanguageStep>('a step', STEP, { required: ['file'] });
const COMPILE_STEP = table<CompileStep>(
  'a compile step',
  { ...STEP, output: TEXTS, files: FUNCTION },
  { required: ['file', 'output'] },
);
const VERSION = table<VersionProbe>(
  'version',
  { file: NAME, args: by(optionRules.checkArgs), pattern: PATTERN },
  { required: ['file', 'args', 'pattern'] },
);
const STANDBY = table<StandbyHints>(
  'standby',
  { probe: CODE, prelude: FUNCTION },
  { required: ['probe', 'prelude'] },
);
const DEFINITION = table<LanguageDefinition>(
  'the definition of a language',
  {
    name: by(checkLanguageName),
    title: NAME,
    aliases: by(listOf(checkLanguageName)),
    extensions: by(listOf(checkExtension)),
    fileName: orFunction(NAME, 'a string', (value) => typeof value === 'string'),
    env: ENV,
    compile: nested(COMPILE_STEP),
    run: nested(RUN_STEP),
    needs: TEXTS,
    version: nested(VERSION),
    standby: nested(STANDBY),
    asksAge: PATTERN,
    debianPackage: NAME,
    essentialPackages: TEXTS,
    seccompFamily: word(...SYSCALL_FAMILIES),
  },
  { required: ['name', 'fileName', 'run'] },
);

/** Checks a definition and fills in its defaults. `field` is how errors call it. */
export function makeLanguage(definition: LanguageDefinition, field = 'language'): Language {
  validate(definition, DEFINITION, field);
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
