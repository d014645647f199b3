/** Folders that only the host has: what nobody inside may see or change. */
export declare class Outside {
  /** In no path: whoever has it has seen something. */
  readonly secret: string;
  readonly folders: readonly string[];
  /** What a text that came back shows of them; an empty string for nothing. */
  shown(text: string): string;
  /** How the folders differ from before. */
  changes(): string[];
  remove(): void;
}
