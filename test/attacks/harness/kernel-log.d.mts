/** Lines that are neither about a program itself nor part of a report of a group's end of memory. */
export declare function unexpectedLines(lines: readonly string[]): string[];
