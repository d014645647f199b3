/** What mount.yaml may say: its schema, and its type for callers. */
import * as z from 'zod/mini';

/** A row of `mount`. */
export const MOUNT_ROW = z.object({
  type: z.enum(['bind', 'tmpfs']),
  source: z._default(z.string(), ''),
  target: z.string(),
  readonly: z._default(z.boolean(), false),
  data: z._default(z.string(), ''),
});
/** A row of `symLink`. */
export const LINK_ROW = z.object({ linkPath: z.string(), target: z.string() });

/** mount.yaml as data. */
export const MOUNT_CONF = z.object({
  mount: z.nullish(z.array(MOUNT_ROW)),
  symLink: z.nullish(z.array(LINK_ROW)),
  maskPath: z.nullish(z.array(z.string())),
  proc: z.nullish(z.boolean()),
  procrw: z.nullish(z.boolean()),
  workDir: z.nullish(z.string()),
  hostName: z.nullish(z.string()),
  domainName: z.nullish(z.string()),
  uid: z.nullish(z.int()),
  gid: z.nullish(z.int()),
  initCmd: z.nullish(
    z.literal('', {
      error: 'is not supported: every run has a fresh sandbox, so put what it makes into the mounts',
    }),
  ),
});
/** What mount.yaml says; keys as in the file. What is left out is as go-judge has it built in. */
export interface MountConf {
  /** In place of the built-in mounts. */
  mount?:
    | {
        type: 'bind' | 'tmpfs';
        /** Path on the host; left out without an error where it is missing. */
        source?: string;
        target: string;
        readonly?: boolean;
        /** Of tmpfs: `size=128m,nr_inodes=4k`. */
        data?: string;
      }[]
    | null;
  /** Links to make. */
  symLink?: { linkPath: string; target: string }[] | null;
  /** Paths to hide. */
  maskPath?: string[] | null;
  /** Mount /proc. */
  proc?: boolean | null;
  /** Mount it writable. */
  procrw?: boolean | null;
  /** Working folder of programs. */
  workDir?: string | null;
  /** Host name inside. */
  hostName?: string | null;
  /** Domain name inside. */
  domainName?: string | null;
  /** User id that programs see, with `containerCredStart`. */
  uid?: number | null;
  /** Group id, likewise. */
  gid?: number | null;
  /** Not supported: refused unless empty. */
  initCmd?: '' | null;
}

/** `MountConf` after defaults. */
export type ResolvedMountConf = z.output<typeof MOUNT_CONF>;
