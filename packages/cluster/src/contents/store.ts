/** Contents by their SHA-256, where all machines can have them. */

/** Whether nobody wants the content any more: until then each step of its way is tried again. */
export type IsOver = () => boolean;

export interface BlobStore {
  /** Also when it is there already. */
  put(sha256: string, bytes: Uint8Array, isOver: IsOver): Promise<void>;
  /** Not checked. Rejects when it is not there. */
  get(sha256: string, sizeBytes: number, isOver: IsOver): Promise<Uint8Array>;
}
