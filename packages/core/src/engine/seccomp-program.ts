/**
 * A filter of the caller's, compiled to BPF. A binary search over the numbers ends in runs of calls that are
 * answered alike; a call with tests of arguments goes through its rules in order. The foreign architectures
 * and x32 numbers that share these numbers are refused by our own filter, which stands below.
 */
import { InvalidOptionsError } from '../errors.js';
import { POLICY_LENGTH_MAX } from '../native/tables.js';
import { type Architecture, syscallNumber } from '../options/syscalls.js';
import type { SeccompAction, SeccompArgument, SeccompPolicy, SeccompRule } from '../types/seccomp.js';

/** SECCOMP_RET_…; `errno` is EPERM. */
const ACTIONS: Readonly<Record<SeccompAction, number>> = {
  allow: 0x7fff0000,
  log: 0x7ffc0000,
  trace: 0x7ff00000,
  errno: 0x00050001,
  trap: 0x00030000,
  'kill-thread': 0,
  'kill-process': 0x80000000,
};

/**
 * BPF: load a word of the call's data, return, jump always, jump when the word is equal, greater, at least,
 * has a bit of.
 */
const LOAD = 0x20;
const RETURN = 0x06;
const JUMP = 0x05;
const IF = { eq: 0x15, gt: 0x25, ge: 0x35, bits: 0x45 } as const;

/** A comparison that BPF has, and whether it is turned round. */
const OPS: Readonly<Record<SeccompArgument['op'], [test: keyof typeof IF, negated: boolean]>> = {
  eq: ['eq', false],
  ne: ['eq', true],
  gt: ['gt', false],
  le: ['gt', true],
  ge: ['ge', false],
  lt: ['ge', true],
  'bits-set': ['bits', false],
  'bits-not-set': ['bits', true],
};

/** Of the data that a filter sees: the number at 0, the arguments from 16 on, the low half first. */
const ARGUMENTS_AT = 16;

/** Calls from `start` to the next one's: an action alone, or rules to go through. */
interface Run {
  start: number;
  rules: readonly SeccompRule[];
  otherwise: SeccompAction;
}

/**
 * Instructions as pairs of words: code and jumps, operand. Throws `InvalidOptionsError` when there are too
 * many.
 */
export function compilePolicy(policy: SeccompPolicy, architecture: Architecture): number[] {
  const out = new Assembler();
  out.add(LOAD, 0);
  search(out, runsOf(policy, architecture));
  const words = out.words();
  if (words.length / 2 <= POLICY_LENGTH_MAX) return words;
  throw new InvalidOptionsError({
    field: 'options.seccomp.rules',
    rule: 'size',
    expected: `must come to at most ${POLICY_LENGTH_MAX} instructions`,
    got: String(words.length / 2),
    hint: 'Test fewer arguments, or name fewer calls.',
  });
}

function runsOf(policy: SeccompPolicy, architecture: Architecture): Run[] {
  const byNumber = new Map<number, SeccompRule[]>();
  for (const rule of policy.rules) {
    for (const name of new Set(rule.names)) {
      const number = syscallNumber(name, architecture);
      if (number == null) continue;
      const rules = byNumber.get(number) ?? [];
      byNumber.set(number, [...rules, rule]);
    }
  }
  const plain = (start: number): Run => ({ start, rules: [], otherwise: policy.defaultAction });
  const runs = [plain(0)];
  for (const [number, rules] of [...byNumber].sort(([a], [b]) => a - b)) {
    append(runs, runOf(number, rules, policy.defaultAction));
    append(runs, plain(number + 1));
  }
  return runs;
}

/** Rules after one without tests are never reached. */
function runOf(start: number, rules: readonly SeccompRule[], defaultAction: SeccompAction): Run {
  const last = rules.findIndex(({ args }) => args === undefined || args.length === 0);
  if (last === -1) return { start, rules, otherwise: defaultAction };
  return { start, rules: rules.slice(0, last), otherwise: rules[last]!.action };
}

/** Takes the place of a run that begins at the same number, and joins one that is answered alike. */
function append(runs: Run[], run: Run): void {
  if (runs.at(-1)!.start === run.start) runs.pop();
  const before = runs.at(-1);
  const alike = before?.otherwise === run.otherwise && before.rules.length + run.rules.length === 0;
  if (!alike) runs.push(run);
}

/** The number is loaded. Jumps of the search may be far, so each goes by an unconditional one. */
function search(out: Assembler, runs: readonly Run[]): void {
  if (runs.length === 1) return answer(out, runs[0]!);
  const middle = runs.length >> 1;
  const [lower, upper] = [out.label(), out.label()];
  out.jump(IF.ge, runs[middle]!.start, null, lower);
  out.add(JUMP, upper);
  out.place(lower);
  search(out, runs.slice(0, middle));
  out.place(upper);
  search(out, runs.slice(middle));
}

function answer(out: Assembler, { rules, otherwise }: Run): void {
  for (const { args = [], action } of rules) {
    const fail = out.label();
    for (const argument of args) {
      const pass = out.label();
      test(out, argument, pass, fail);
      out.place(pass);
    }
    out.add(RETURN, ACTIONS[action]);
    out.place(fail);
  }
  out.add(RETURN, ACTIONS[otherwise]);
}

/** `null` in a jump is the next instruction. */
function test(
  out: Assembler,
  { index, op, value, width = 64 }: SeccompArgument,
  pass: Label,
  fail: Label,
): void {
  const [compare, negated] = OPS[op];
  const [yes, no] = negated ? [fail, pass] : [pass, fail];
  const at = ARGUMENTS_AT + 8 * index;
  const high = Number(BigInt(value) >> 32n);
  const low = Number(BigInt(value) & 0xffffffffn);
  if (width === 64) {
    out.add(LOAD, at + 4);
    if (compare === 'bits') out.jump(IF.bits, high, yes, null);
    else {
      if (compare !== 'eq') out.jump(IF.gt, high, yes, null);
      out.jump(IF.eq, high, null, no);
    }
  }
  out.add(LOAD, at);
  out.jump(IF[compare], low, yes, no);
}

/** A place in the program, known once it is placed. */
interface Label {
  at: number;
}

interface Instruction {
  code: number;
  operand: number | Label;
  yes: Label | null;
  no: Label | null;
}

class Assembler {
  readonly #instructions: Instruction[] = [];

  label(): Label {
    return { at: -1 };
  }

  place(label: Label): void {
    label.at = this.#instructions.length;
  }

  add(code: number, operand: number | Label): void {
    this.#instructions.push({ code, operand, yes: null, no: null });
  }

  /** Both ways lead within the answer for one call, which is short. */
  jump(code: number, operand: number, yes: Label | null, no: Label | null): void {
    this.#instructions.push({ code, operand, yes, no });
  }

  words(): number[] {
    return this.#instructions.flatMap(({ code, operand, yes, no }, at) => {
      const distance = (label: Label | null) => (label === null ? 0 : label.at - at - 1);
      const word = typeof operand === 'number' ? operand : distance(operand);
      return [code + distance(yes) * 0x10000 + distance(no) * 0x1000000, word];
    });
  }
}
