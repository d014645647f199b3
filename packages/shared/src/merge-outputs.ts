/** Several outputs of a program, read as one. */

/** An output that somebody reads beside others. */
export interface OpenOutput {
  /** What has come; `undefined`: nothing yet, `null`: nothing more. */
  read(): Uint8Array | null | undefined;
  /** Gives the stream back. To be called once. */
  close(): void;
}

/** An output that can be read so. `wake` is called whenever there may be more. */
export interface OpenableOutput {
  open(wake: () => void): OpenOutput;
}

/**
 * Chunks of the streams that there are, as they come. One promise at a time is waited for: a race would leave
 * something at that of the quiet stream with each chunk of the other. The streams are given back at the end.
 */
export async function* mergeOutputs<Kind extends string>(
  streams: Readonly<Record<Kind, OpenableOutput | null>>,
): AsyncGenerator<{ kind: Kind; bytes: Uint8Array }, void, undefined> {
  let wake = () => {};
  const open = new Map<Kind, OpenOutput>();
  const opened: OpenOutput[] = [];
  try {
    for (const [kind, stream] of Object.entries<OpenableOutput | null>(streams)) {
      if (stream === null) continue;
      const output = stream.open(() => wake());
      open.set(kind as Kind, output);
      opened.push(output);
    }
    while (open.size > 0) {
      const more = new Promise<void>((resolve) => {
        wake = resolve;
      });
      let hasRead = false;
      for (const [kind, output] of open) {
        const bytes = output.read();
        if (bytes === null) open.delete(kind);
        if (bytes == null) continue;
        hasRead = true;
        yield { kind, bytes };
      }
      if (!hasRead && open.size > 0) await more;
    }
  } finally {
    for (const output of opened) output.close();
  }
}
