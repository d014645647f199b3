// For tests, by the name that TypeScript gives it.
export * from './proc.mjs';
