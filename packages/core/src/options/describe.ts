/** Words for error messages: what a value is, shortly, and which known name is meant by a misspelt one. */

/** Longest part of a string that a message repeats. */
const SHOWN_LENGTH = 40;

/** Type and short value of anything: `the string "5s"`, `an array of 3`, `null`. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the string ${quote(value)}`;
    case 'number':
      return `the number ${value}`;
    case 'bigint':
      return `the bigint ${value}n`;
    case 'boolean':
    case 'undefined':
      return `${value}`;
    case 'object':
      return value === null ? 'null' : describeObject(value);
    default:
      return `a ${typeof value}`; // function, symbol
  }
}

/** As `describe`, for values that may be contents or secrets: type and size only. */
export function describeSecret(value: unknown): string {
  return typeof value === 'string' ? `a string of ${value.length} characters` : describe(value);
}

/** A string in quotes, escaped and cut. */
export function quote(text: string): string {
  return text.length <= SHOWN_LENGTH
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, SHOWN_LENGTH))}… (${text.length} characters)`;
}

function describeObject(value: object): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  const name = constructorName(value);
  return name === '' || name === 'Object' ? 'an object' : `an object of class ${name}`;
}

/** Empty when there is none, or when a proxy or getter throws: a message must not fail to be made. */
function constructorName(value: object): string {
  try {
    const name: unknown = value.constructor?.name;
    return typeof name === 'string' ? name : '';
  } catch {
    return '';
  }
}
