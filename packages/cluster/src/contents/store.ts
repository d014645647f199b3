/** Contents by their SHA-256, where all machines can have them. */

export interface BlobStore {
  /** Also when it is there already. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  /** Not checked. Rejects when it is not there. */
  get(sha256: string, sizeBytes: number): Promise<Uint8Array>;
}
