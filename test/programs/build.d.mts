/** The folder that holds the compiled programs, by name. */
export function buildPrograms(): string;
