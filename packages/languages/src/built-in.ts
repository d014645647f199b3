import { createRegistry } from './registry.js';

/** The built-in languages. */
export const languages = createRegistry();
