export declare function awayMs(lines: string, fromMs: number, toMs: number): number;
export declare class CpuWatch {
  constructor(world: { folder: string; testPrograms: string });
  /** From then until now, all CPUs together. */
  awayMs(fromMs: number): number;
  close(): void;
}
