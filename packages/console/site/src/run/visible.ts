/** Text of programs, as it can be shown: it is read as what was printed, and acts on nothing. */

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what these look for
/**
 * Escape sequences other than colours: they move cursors, set titles, clear screens, and have nothing to say
 * here.
 */
const OTHER_ESCAPES =
  /\x1b(?!\[[\d;]*m)(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]|$)/g;
/** Characters that would act instead of being seen; line feed, tab and the escape of colours are left. */
const CONTROLS = /[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]/g;
/**
 * Those that turn the direction of text around, and those without a width: what is read would not be what was
 * printed. What chooses the form of an emoji stays with it.
 */
const INVISIBLE =
  /(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\x80-\x9f\u2028\u2029\ufff9-\ufffb]/gu;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/** Text with everything in it made visible but escape sequences: colours stay, the others are left out. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(OTHER_ESCAPES, '')
    .replace(CONTROLS, (char) =>
      char === '\x7f' ? '\u2421' : String.fromCharCode(0x2400 + char.charCodeAt(0)),
    )
    .replace(INVISIBLE, (char) => `<U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`);
}

/** A line of which nothing is left out, escape sequences neither: what differs must not look the same. */
export function literal(line: string): string {
  return visible(line.replaceAll('\x1b', '\u241b').replaceAll('\r', '\u240d'));
}
