/** Codes of `error` messages. */

/**
 * Every code, what kind of trouble it names, whether to try again, and what it means. The table of the
 * specification.
 */
export const WIRE_ERROR_CODES = {
  TIMEOUT: {
    category: 'resource',
    retryable: false,
    meaning: 'The execution exceeded its time limit. Not sent: the status `timeout` says it.',
  },
  OOM: {
    category: 'resource',
    retryable: false,
    meaning: 'The execution exceeded its memory limit. Not sent: the status `oom` says it.',
  },
  OUTPUT_LIMIT: {
    category: 'resource',
    retryable: false,
    meaning: 'Output exceeded `max_output_bytes`. Status `failed` and the result follow.',
  },
  LANGUAGE_NOT_SUPPORTED: {
    category: 'protocol',
    retryable: false,
    meaning: 'The language is not available here.',
  },
  INVALID_REQUEST: {
    category: 'protocol',
    retryable: false,
    meaning: 'The message is malformed or against a rule; `message` names field and rule.',
  },
  UNKNOWN_EXECUTION: {
    category: 'protocol',
    retryable: false,
    meaning: 'A cancel for an id that is not active on this connection.',
  },
  SANDBOX_OVERLOADED: {
    category: 'infrastructure',
    retryable: true,
    meaning: 'All places and the queue are full.',
  },
  INTERNAL_ERROR: {
    category: 'infrastructure',
    retryable: true,
    meaning: 'The sandbox failed, or the server shuts down.',
  },
  NETWORK_ERROR: {
    category: 'infrastructure',
    retryable: true,
    meaning: 'A machine behind the server cannot be reached. A server on one machine never sends it.',
  },
} as const satisfies Record<
  string,
  { category: 'resource' | 'protocol' | 'infrastructure'; retryable: boolean; meaning: string }
>;

/** One of `WIRE_ERROR_CODES`. */
export type WireErrorCode = keyof typeof WIRE_ERROR_CODES;
