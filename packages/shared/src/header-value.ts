/**
 * A text as clients send it in a header: each character there is one byte, and beyond ASCII they are those of
 * its UTF-8, as servers have them. Other characters none can send.
 */
export function headerValue(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
