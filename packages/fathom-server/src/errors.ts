/** Messages of type `error`. */
import {
  type ErrorMessage,
  type Unstamped,
  WIRE_ERROR_CODES,
  type WireErrorCode,
} from '@sbx/fathom-client/wire';

/** `retryable` is the table's. */
export function errorMessage(code: WireErrorCode, message: string, id?: string): Unstamped<ErrorMessage> {
  const { retryable } = WIRE_ERROR_CODES[code];
  return { type: 'error', ...(id === undefined ? {} : { id }), code, message, retryable };
}
