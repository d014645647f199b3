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
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above
/**
 * Those that turn the direction of text around, and those without a width: what is read would not be what was
 * printed.
 */
const INVISIBLE = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Text with everything in it made visible. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(OTHER_ESCAPES, '')
    .replace(CONTROLS, (char) =>
      char === '\x7f' ? '\u2421' : String.fromCharCode(0x2400 + char.charCodeAt(0)),
    )
    .replace(INVISIBLE, (char) => `<U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
}
