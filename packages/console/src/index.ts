/**
 * The console as static files, for a server to show.
 *
 * @packageDocumentation
 */
import { fileURLToPath } from 'node:url';

/** The folder of the files: `index.html`, and `assets/` with names that change with their content. */
export const CONSOLE_FOLDER: string = fileURLToPath(new URL('site/', import.meta.url));
