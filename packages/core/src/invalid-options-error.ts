/** The error for what a caller has given, and its reading of the field's path. */
import type { CodeOf, OptionRule } from './error-codes.js';
import { SbxError } from './sbx-error.js';

/** A value given by the caller was refused, before anything started. */
export class InvalidOptionsError extends SbxError {
  declare readonly code: CodeOf<'InvalidOptionsError'>;
  /** Path of the value: `options.limits.cpuTimeMs`, `args[2]`, `request.programs[1].env`. */
  readonly field: string;
  /** The option's own name, wherever it was given: `limits.cpuTimeMs`, `args`, `env`. */
  readonly option: string;
  /**
   * Index in `request.programs` of the program that it was given for; `null` where it is of no program of a
   * group.
   */
  readonly programIndex: number | null;
  readonly rule: OptionRule;
  /** The rule in words: `must be …`. */
  readonly expected: string;
  /**
   * Type and short value of what came; `null` when naming it would not help. Never contents or environment
   * values.
   */
  readonly got: string | null;
  /** The value to write instead, where it is known. */
  readonly hint: string | null;

  constructor(init: {
    field: string;
    rule: OptionRule;
    expected: string;
    got?: string | null;
    hint?: string | null;
  }) {
    const { field, rule, expected, got = null, hint = null } = init;
    const message = `${field} ${expected}${got === null ? '' : `; got ${got}`}.${hint === null ? '' : ` ${hint}`}`;
    super({ code: 'SBX_INVALID_OPTIONS', message, details: { field, rule, expected, got, hint } });
    this.field = field;
    const { option, programIndex } = partsOf(field);
    this.option = option;
    this.programIndex = programIndex;
    this.rule = rule;
    this.expected = expected;
    this.got = got;
    this.hint = hint;
  }
}

/** Of a program of a group, of one of many, or of a single call. */
const FIELD =
  /^(?:request\.programs\[(\d+)\]\.|requests\[\d+\]\.(?:options\.)?|(?:options|request)\.)?(.*)$/s;

/**
 * `request.programs[1].limits.cpuSet` is the option `limits.cpuSet` of the program 1. Of what is in an option
 * only limits have names that are fixed.
 */
function partsOf(field: string): { option: string; programIndex: number | null } {
  const [, index, path] = FIELD.exec(field)!;
  const option = /^(?:limits\.)?[\w$]+/.exec(path!)?.[0] ?? path!;
  return { option, programIndex: index === undefined ? null : Number(index) };
}
