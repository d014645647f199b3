export declare function awayMs(lines: string, fromMs: number, toMs: number): number;
