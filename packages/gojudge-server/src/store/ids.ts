/** Names of files in the folder of a store. */
import { randomBytes } from 'node:crypto';

/** A folder of the store's own beside them. */
export const PRIVATE = '.sbx';

const ID_BYTES = 5;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Whether it names a file in the folder itself that is not the store's own. */
export function isId(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..' && id !== PRIVATE && !/[/\\\0]/.test(id) && id.length < 256;
}

/** As Go's base32 of 40 random bits. */
export function newId(): string {
  let bits = 0n;
  for (const byte of randomBytes(ID_BYTES)) bits = (bits << 8n) | BigInt(byte);
  let id = '';
  for (let shift = 35n; shift >= 0n; shift -= 5n) id += ALPHABET[Number((bits >> shift) & 31n)];
  return id;
}
