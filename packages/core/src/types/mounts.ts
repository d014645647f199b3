/** The root that sandboxes of an engine see. */

/**
 * One mount of the root that every sandbox of an engine sees, read-only unless said otherwise. `/proc`, the
 * work folder, `/tmp` and `/dev/shm` are every sandbox's own: nothing can be put into them. Of devices there
 * are null, zero, full, random, urandom and tty, always; rows that bind them are accepted, other devices are
 * refused.
 */
export type MountRow =
  /**
   * The host's file or folder `source`, without submounts unless `recursive`; skipped when missing and
   * `optional`; programs in it can be executed unless `executable` is `false`.
   */
  | {
      kind: 'bind';
      source: string;
      target?: string | undefined;
      writable?: boolean | undefined;
      optional?: boolean | undefined;
      recursive?: boolean | undefined;
      executable?: boolean | undefined;
    }
  /**
   * A private, empty, sized file system, fresh in every sandbox. At the work folder, `/tmp` or `/dev/shm` it
   * takes the place of the one that is there anyway, with these bounds instead of `diskBytes` and
   * `diskFileCount`. Defaults: 128 MiB, 16 384, mode 0o755 (`/tmp` and `/dev/shm`: 0o1777).
   */
  | {
      kind: 'tmpfs';
      target: string;
      sizeBytes?: number | undefined;
      inodeCount?: number | undefined;
      mode?: number | undefined;
    }
  | { kind: 'symlink'; target: string; to: string }
  | { kind: 'dir'; target: string; mode?: number | undefined }
  /** A small file with this content. */
  | { kind: 'file'; target: string; text: string; mode?: number | undefined };

/** A file of a minimal root that no package brings, with what its content has to be. */
export interface HashedProgram {
  /** Absolute, on the host and inside. */
  path: string;
  /** 64 hexadecimal digits. Default: what a package of the system says of it, else it is taken as it is. */
  sha256?: string | undefined;
}

/**
 * A root made of packages of the system (dpkg: Debian, Ubuntu) and of single programs, instead of the host's
 * whole /usr: copies that are compared with the packages' checksums while they are made. Without set-user-id
 * files, documentation, manual pages, translations.
 */
export interface MinimalRoot {
  /**
   * Names of installed packages. What they depend on comes with them, but for what every system has
   * (`Essential`, `required`): name that. At most 256.
   */
  packages?: readonly string[] | undefined;
  /** As `packages`, passed over where they are not installed. */
  optionalPackages?: readonly string[] | undefined;
  /**
   * Programs alone, with the libraries and the loader or interpreter that they name: absolute paths, or names
   * on `DEFAULT_ENV.PATH`. At most 256.
   */
  programs?: readonly (string | HashedProgram)[] | undefined;
}
