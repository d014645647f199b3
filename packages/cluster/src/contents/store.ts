/** Contents by their SHA-256, where all machines of a tenant's jobs can have them. */
import type { StoredBlob } from '../wire/blob.js';

/** Whether nobody wants the content any more: until then each step of its way is tried again. */
export type IsOver = () => boolean;

export interface BlobStore {
  /** Also when it is there already. */
  put(tenant: string, sha256: string, bytes: Uint8Array, isOver: IsOver): Promise<void>;
  /** Its bytes in order, not checked. Rejects when it is not there. */
  read(tenant: string, blob: StoredBlob, isOver: IsOver): AsyncIterable<Uint8Array>;
}

/** Where contents of one job go and come from. */
export interface JobStore {
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  read(blob: StoredBlob): AsyncIterable<Uint8Array>;
}

/** `isOver`: nobody waits for that job any more. */
export function jobStore(store: BlobStore, tenant: string, isOver: IsOver): JobStore {
  return {
    put: (sha256, bytes) => store.put(tenant, sha256, bytes, isOver),
    read: (blob) => store.read(tenant, blob, isOver),
  };
}
