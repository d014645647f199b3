/**
 * The options of `sbx-mcp` alone, without the server behind them.
 *
 * @packageDocumentation
 */
export { type CommandFlag, listCommandFlags } from './command-options.js';
