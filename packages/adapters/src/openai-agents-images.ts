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

/** `null`: none that is known. */
export function mediaTypeOf(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 512));
  const hex = head.toString('hex');
  const known = SIGNATURES.find(([, pattern]) => pattern.test(hex))?.[0];
  return known ?? (SVG.test(head.toString()) ? 'image/svg+xml' : null);
}
