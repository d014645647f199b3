/**
 * A call that cannot be done as it was asked: the message says what to do instead, and reaches the model as
 * it is.
 */
export class ToolError extends Error {}
