/**
 * JSON as Go's encoding/json reads it: the first value counts and the rest is ignored, keys keep their order
 * and may come twice, numbers keep their text, and an error has Go's words. No recursion: depth is bounded by
 * a number, not by the stack.
 */
import { quoteByte } from './go-text.js';

export type JsonNode =
  | { kind: 'string'; value: string }
  | { kind: 'number'; literal: string }
  | { kind: 'bool'; value: boolean }
  | { kind: 'null' }
  | JsonArray
  | JsonObject;

export interface JsonArray {
  kind: 'array';
  items: JsonNode[];
}

export interface JsonObject {
  kind: 'object';
  keys: string[];
  values: JsonNode[];
}

/** Not JSON, or cut off. The message is the answer's. */
export class JsonSyntaxError extends Error {
  override name = 'JsonSyntaxError';
}

const DEPTH_MAX = 10_000;
/**
 * Of one document. Each becomes an object of some 60 bytes, so a body of commas would be thirty times its
 * size in memory, and nobody else is served while it is read; the largest requests have thousands.
 */
const VALUES_MAX = 2 ** 18;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NULL: JsonNode = { kind: 'null' };
const LITERALS: Readonly<Record<string, [string, JsonNode]>> = {
  t: ['true', { kind: 'bool', value: true }],
  f: ['false', { kind: 'bool', value: false }],
  n: ['null', NULL],
};

/** Reads the first value. `encoding` is that of the bytes that errors name. Throws `JsonSyntaxError`. */
export function parseGoJson(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): JsonNode {
  return new Scanner(text, encoding).parse();
}

class Scanner {
  readonly #text: string;
  readonly #encoding: 'utf8' | 'latin1';
  #at = 0;
  #count = 0;
  readonly #open: (JsonArray | JsonObject)[] = [];

  constructor(text: string, encoding: 'utf8' | 'latin1') {
    this.#text = text;
    this.#encoding = encoding;
  }

  parse(): JsonNode {
    this.#skipSpace();
    if (this.#at >= this.#text.length) throw new JsonSyntaxError('EOF');
    for (;;) {
      let node: JsonNode | null = this.#value();
      if (node !== null && (node.kind === 'array' || node.kind === 'object')) {
        if (this.#enter(node)) continue;
        node = this.#open.pop()!;
      }
      while (node !== null) {
        const parent = this.#open.at(-1);
        if (parent === undefined) return node;
        this.#add(parent, node);
        node = this.#afterItem(parent) ? null : this.#open.pop()!;
      }
    }
  }

  #add(parent: JsonArray | JsonObject, node: JsonNode): void {
    if (parent.kind === 'array') parent.items.push(node);
    else parent.values.push(node);
  }

  /** True when a value follows, false when it is empty. */
  #enter(node: JsonArray | JsonObject): boolean {
    this.#open.push(node);
    if (this.#open.length > DEPTH_MAX) this.#fail('exceeded max depth', this.#at - 1);
    const char = this.#peek();
    if (char === (node.kind === 'array' ? ']' : '}')) {
      this.#at += 1;
      return false;
    }
    if (node.kind === 'object') this.#key(node);
    return true;
  }

  /** True when another value follows, false at the end of the parent. */
  #afterItem(parent: JsonArray | JsonObject): boolean {
    const char = this.#peek();
    this.#at += 1;
    if (char === ',') {
      this.#peek();
      if (parent.kind === 'object') this.#key(parent);
      return true;
    }
    if (char === (parent.kind === 'array' ? ']' : '}')) return false;
    return this.#fail(
      parent.kind === 'array' ? 'after array element' : 'after object key:value pair',
      this.#at - 1,
    );
  }

  #key(parent: JsonObject): void {
    if (this.#peek() !== '"') this.#fail('looking for beginning of object key string', this.#at);
    parent.keys.push(this.#string());
    if (this.#peek() !== ':') this.#fail('after object key', this.#at);
    this.#at += 1;
  }

  #value(): JsonNode {
    const char = this.#peek();
    this.#count += 1;
    if (this.#count > VALUES_MAX) throw new JsonSyntaxError(`more than ${VALUES_MAX} values`);
    switch (char) {
      case '{':
        this.#at += 1;
        return { kind: 'object', keys: [], values: [] };
      case '[':
        this.#at += 1;
        return { kind: 'array', items: [] };
      case '"':
        return { kind: 'string', value: this.#string() };
      case 't':
      case 'f':
      case 'n':
        return this.#literal(char);
      default:
        if (char === '-' || isDigit(char)) return { kind: 'number', literal: this.#number() };
        return this.#fail('looking for beginning of value', this.#at);
    }
  }

  #literal(first: string): JsonNode {
    const [word, node] = LITERALS[first]!;
    for (let index = 1; index < word.length; index += 1) {
      const char = this.#charAt(this.#at + index);
      if (char !== word[index])
        this.#fail(`in literal ${word} (expecting '${word[index]}')`, this.#at + index);
    }
    this.#at += word.length;
    return node;
  }

  #number(): string {
    const start = this.#at;
    let at = start;
    if (this.#text[at] === '-') at += 1;
    if (!isDigit(this.#charAt(at))) this.#fail('in numeric literal', at);
    if (this.#text[at] === '0') at += 1;
    else at = this.#digits(at);
    if (this.#text[at] === '.') {
      if (!isDigit(this.#charAt(at + 1))) this.#fail('after decimal point in numeric literal', at + 1);
      at = this.#digits(at + 1);
    }
    if (this.#text[at] === 'e' || this.#text[at] === 'E') {
      at += 1;
      const sign = this.#charAt(at);
      if (sign === '+' || sign === '-') at += 1;
      if (!isDigit(this.#charAt(at))) this.#fail('in exponent of numeric literal', at);
      at = this.#digits(at);
    }
    this.#at = at;
    return this.#text.slice(start, at);
  }

  #digits(from: number): number {
    let at = from;
    while (isDigit(this.#text[at])) at += 1;
    return at;
  }

  #string(): string {
    const start = this.#at + 1;
    let end = start;
    while (isOrdinary(this.#text.charCodeAt(end))) end += 1;
    if (this.#text.charCodeAt(end) !== QUOTE) return this.#escaped(start);
    this.#at = end + 1;
    return this.#text.slice(start, end);
  }

  /** One with escapes, or with something wrong. */
  #escaped(start: number): string {
    const end = this.#closingQuote(start);
    if (end < 0) this.#failInString(start);
    this.#at = end + 1;
    try {
      // Lone surrogates, which only escapes can bring, become U+FFFD.
      return (JSON.parse(this.#text.slice(start - 1, end + 1)) as string).toWellFormed();
    } catch {
      return this.#failInString(start);
    }
  }

  /** -1 when there is none. */
  #closingQuote(from: number): number {
    for (let at = this.#text.indexOf('"', from); at >= 0; at = this.#text.indexOf('"', at + 1)) {
      let slashes = 0;
      while (this.#text[at - 1 - slashes] === '\\' && at - 1 - slashes >= from) slashes += 1;
      if (slashes % 2 === 0) return at;
    }
    return -1;
  }

  /** Looks again for what is wrong. */
  #failInString(start: number): never {
    for (let at = start; ; at += 1) {
      while (isOrdinary(this.#text.charCodeAt(at))) at += 1;
      if (this.#charAt(at) !== '\\') this.#fail('in string literal', at);
      at += 1;
      const letter = this.#charAt(at);
      if (!'"\\/bfnrtu'.includes(letter)) this.#fail('in string escape code', at);
      if (letter !== 'u') continue;
      for (let digit = 0; digit < 4; digit += 1) {
        at += 1;
        if (!isHexDigit(this.#charAt(at))) this.#fail('in \\u hexadecimal character escape', at);
      }
    }
  }

  /** The next character that counts. */
  #peek(): string {
    this.#skipSpace();
    return this.#charAt(this.#at);
  }

  #charAt(at: number): string {
    const char = this.#text[at];
    if (char === undefined) throw new JsonSyntaxError('unexpected EOF');
    return char;
  }

  #skipSpace(): void {
    for (let code = this.#text.charCodeAt(this.#at); isSpace(code); )
      code = this.#text.charCodeAt(++this.#at);
  }

  #fail(context: string, at: number): never {
    const char = String.fromCodePoint(this.#text.codePointAt(at) ?? 0);
    const [byte] = Buffer.from(char, this.#encoding);
    throw new JsonSyntaxError(`invalid character ${quoteByte(byte!)} ${context}`);
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}

function isHexDigit(char: string): boolean {
  return isDigit(char) || (char >= 'a' && char <= 'f') || (char >= 'A' && char <= 'F');
}

/** Stands for itself in a string; false behind the end, too. */
function isOrdinary(code: number): boolean {
  return code >= 0x20 && code !== QUOTE && code !== BACKSLASH;
}
