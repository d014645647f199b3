/**
 * Go values that JSON is decoded into, and how: by name in any letter case, later keys over earlier ones,
 * first wrong type wins.
 */
import type { JsonArray, JsonNode, JsonObject } from './json.js';

/** A Go type. `nullable`: a pointer, which `null` clears; other values keep what an earlier key brought. */
export type Shape =
  | { kind: 'string' | 'bool'; go: string; nullable?: boolean }
  | { kind: 'uint' | 'int'; go: string; min: bigint; max: bigint; nullable?: boolean }
  | { kind: 'list'; go: string; item: Shape; nullItem: 'zero' | 'null' }
  | { kind: 'map'; go: string; item: StructShape }
  | StructShape;

export interface StructShape {
  kind: 'struct';
  go: string;
  /** Name in messages. */
  name: string;
  fields: ReadonlyMap<string, Field>;
  /** The same by their names in one letter case. */
  folded: ReadonlyMap<string, Field>;
}

/**
 * `name` is the one string that V8 finds properties by; a key that was cut out of a text has to be looked up
 * first.
 */
interface Field {
  name: string;
  shape: Shape;
}

/** A value of the wrong type. The message is the answer's. */
export class JsonTypeError extends Error {
  override name = 'JsonTypeError';
}

export type Decoded = string | number | boolean | null | Decoded[] | Map<string, Decoded> | DecodedStruct;
export interface DecodedStruct {
  [field: string]: Decoded | undefined;
}

/** The field that is being decoded: only an error wants its path. */
interface Where {
  struct: string;
  field: string;
  outer: Where | null;
}

export const STRING: Shape = { kind: 'string', go: 'string' };
export const OPTIONAL_STRING: Shape = { kind: 'string', go: 'string', nullable: true };
export const BOOL: Shape = { kind: 'bool', go: 'bool' };
export const UINT64: Shape = { kind: 'uint', go: 'uint64', min: 0n, max: 2n ** 64n - 1n };
export const INT: Shape = { kind: 'int', go: 'int', min: -(2n ** 63n), max: 2n ** 63n - 1n };
export const OPTIONAL_INT64: Shape = { ...INT, go: 'int64', nullable: true } as Shape;

/** A shape for every field of `T`, and for nothing else. */
export type Fields<T> = Readonly<Record<keyof T & string, Shape>>;

export function struct<T>(name: string, fields: Fields<T>): StructShape {
  const known = Object.entries<Shape>(fields).map(([field, shape]) => ({ name: field, shape }));
  return {
    kind: 'struct',
    go: `model.${name}`,
    name,
    fields: new Map(known.map((field) => [field.name, field])),
    folded: new Map(known.map((field) => [fold(field.name), field])),
  };
}

export function list(item: Shape, go: string, nullItem: 'zero' | 'null' = 'zero'): Shape {
  return { kind: 'list', go: `[]${go}`, item, nullItem };
}

/** Decodes a whole document. Throws `JsonTypeError`. */
export function decodeAs(shape: StructShape, node: JsonNode): DecodedStruct {
  if (node.kind === 'null') return {};
  if (node.kind !== 'object') {
    throw new JsonTypeError(`json: cannot unmarshal ${describe(node)} into Go value of type ${shape.go}`);
  }
  return decodeStruct(shape, node, {}, null);
}

function decode(
  shape: Shape,
  node: JsonNode,
  current: Decoded | undefined,
  where: Where,
): Decoded | undefined {
  if (node.kind === 'null') return keepsOnNull(shape) ? current : undefined;
  switch (shape.kind) {
    case 'string':
      return node.kind === 'string' ? node.value : wrong(shape, node, where);
    case 'bool':
      return node.kind === 'bool' ? node.value : wrong(shape, node, where);
    case 'uint':
    case 'int':
      return node.kind === 'number' ? integer(shape, node.literal, where) : wrong(shape, node, where);
    case 'list':
      return node.kind === 'array' ? decodeList(shape, node, current, where) : wrong(shape, node, where);
    case 'map':
      return node.kind === 'object' ? decodeMap(shape, node, current, where) : wrong(shape, node, where);
    case 'struct':
      if (node.kind !== 'object') return wrong(shape, node, where);
      return decodeStruct(shape, node, (current ?? {}) as DecodedStruct, where);
  }
}

function keepsOnNull(shape: Shape): boolean {
  if (shape.kind === 'list' || shape.kind === 'map') return false;
  return shape.kind === 'struct' || shape.nullable !== true;
}

function decodeStruct(
  shape: StructShape,
  { keys, values }: JsonObject,
  into: DecodedStruct,
  outer: Where | null,
): DecodedStruct {
  const where = { struct: shape.name, field: '', outer };
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    const field = shape.fields.get(key) ?? shape.folded.get(fold(key));
    if (field === undefined) continue;
    const { name } = field;
    where.field = name;
    into[name] = decode(field.shape, values[index]!, into[name], where);
  }
  return into;
}

/** Item i over item i of the earlier list; the later length counts. */
function decodeList(
  shape: Extract<Shape, { kind: 'list' }>,
  { items }: JsonArray,
  current: Decoded | undefined,
  where: Where,
): Decoded[] {
  const earlier = (current ?? []) as Decoded[];
  return items.map((item, index) => {
    if (item.kind === 'null') return shape.nullItem === 'null' ? null : zeroOf(shape.item, earlier[index]);
    const before = earlier[index] ?? undefined;
    return decode(shape.item, item, before, where) as Decoded;
  });
}

function zeroOf(shape: Shape, earlier: Decoded | undefined): Decoded {
  if (earlier !== undefined) return earlier;
  return shape.kind === 'string' ? '' : {};
}

function decodeMap(
  shape: Extract<Shape, { kind: 'map' }>,
  { keys, values }: JsonObject,
  current: Decoded | undefined,
  where: Where,
): Map<string, Decoded> {
  const map = (current as Map<string, Decoded> | undefined) ?? new Map<string, Decoded>();
  for (let index = 0; index < keys.length; index += 1) {
    map.set(keys[index]!, decode(shape.item, values[index]!, undefined, where) ?? {});
  }
  return map;
}

type IntegerShape = Extract<Shape, { kind: 'uint' | 'int' }>;

/** Clamped to what a double holds exactly: nobody means more, and Go's own wrapping is no use to anybody. */
function integer(shape: IntegerShape, literal: string, where: Where): number {
  const value = smallNatural(literal);
  if (value >= 0) return value;
  const exact = /^-?\d{1,20}$/.test(literal) ? BigInt(literal) : null;
  if (
    exact === null ||
    exact < shape.min ||
    exact > shape.max ||
    (shape.kind === 'uint' && literal[0] === '-')
  ) {
    return fail(`number ${literal}`, shape, where);
  }
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(literal)));
}

const DIGITS_MAX = 15;
const DIGIT_0 = 0x30;

/** Of digits alone, as many as fit into a double and all of Go's types; -1 for anything else. */
function smallNatural(literal: string): number {
  if (literal.length > DIGITS_MAX) return -1;
  let value = 0;
  for (let at = 0; at < literal.length; at += 1) {
    const digit = literal.charCodeAt(at) - DIGIT_0;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function wrong(shape: Shape, node: JsonNode, where: Where): never {
  return fail(describe(node), shape, where);
}

function fail(what: string, shape: Shape, where: Where): never {
  throw new JsonTypeError(
    `json: cannot unmarshal ${what} into Go struct field ${where.struct}.${pathTo(where)} of type ${shape.go}`,
  );
}

function pathTo({ field, outer }: Where): string {
  return outer === null ? field : `${pathTo(outer)}.${field}`;
}

function describe(node: JsonNode): string {
  return node.kind;
}

/** Letter case as encoding/json folds it: ASCII, and the two other characters that fold to ASCII. */
function fold(name: string): string {
  return name.replaceAll('\u212a', 'k').replaceAll('\u017f', 's').toLowerCase();
}
