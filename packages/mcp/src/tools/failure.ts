/** What went wrong → a sentence that a model can act on, or a failed request where it can do nothing. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type ErrorCode, isSbxError } from '@sbx/core';
import type { Logger } from '../options.js';
import { ToolError } from '../sandboxes/tool-error.js';

/** Where the message alone does not say what to do. */
const ADVICE = new Map<ErrorCode, string>([
  [
    'SBX_SANDBOX_LOST',
    'The sandbox failed and is gone with its files; call again, or make one with create_sandbox.',
  ],
  [
    'SBX_HOST_MEMORY',
    'The machine has too little memory for all that runs now; wait a moment and call again.',
  ],
  ['SBX_CLOSED', 'The sandbox was closed; call again, or make one with create_sandbox.'],
  ['SBX_OVERLOADED', 'The machine is busy; wait a moment and call again.'],
  ['SBX_FILE_NOT_FOUND', 'list_files shows what is there.'],
  ['SBX_PROGRAM_NOT_FOUND', 'Another program may do the same: /usr/bin shows what is there.'],
]);

/** Of the server's insides nothing is told but by our own errors. */
export function sentenceFor(error: unknown, tool: string, logger: Logger): string {
  if (error instanceof ToolError) return error.message;
  if (isSbxError(error)) {
    const advice = ADVICE.get(error.code);
    return `${sentence(modelWords(error.message))}${advice === undefined ? '' : ` ${advice}`} (${error.code})`;
  }
  logger.error({ tool, reason: (error as Error)?.name ?? typeof error }, 'a tool failed unexpectedly');
  return `${tool} failed for a reason inside the server; the call may be tried again.`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The model has no `options` object: it sees the arguments by their names. */
function modelWords(message: string): string {
  return message.replace(/\boptions\.(?=\w)/g, '');
}

/** A resource has no result that could say it, so the request fails. */
export function resourceError(error: unknown, logger: Logger): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, sentenceFor(error, 'resources/read', logger));
}
