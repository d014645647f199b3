/** Which kind of picture some bytes are. */

/** Bytes of a picture that a model is shown. */
export const IMAGE_BYTES_MAX = 10 * 2 ** 20;

/** Of the first bytes in hexadecimal. */
const SIGNATURES: readonly [mediaType: string, pattern: RegExp][] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
  ['image/bmp', /^424d/],
  ['image/tiff', /^(?:49492a00|4d4d002a)/],
];

const SVG = /^\s*(?:<\?xml[\s\S]*)?<svg/i;

/** What begins with a comment, or is compressed, is told by its name, as the framework does. */
const SVG_NAME = /\.svgz?$/i;

/** `null`: none that is known. */
export function mediaTypeOf(bytes: Uint8Array, path: string): string | null {
  const head = Buffer.from(bytes.subarray(0, 512));
  const hex = head.toString('hex');
  const known = SIGNATURES.find(([, pattern]) => pattern.test(hex))?.[0];
  const isSvg = SVG.test(head.toString()) || SVG_NAME.test(path);
  return known ?? (isSvg ? 'image/svg+xml' : null);
}
