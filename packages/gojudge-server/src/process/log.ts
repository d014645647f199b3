/**
 * The command's log: a line of JSON on stderr for each event, as pino writes it. It is written here because
 * loading pino takes longer than opening the store, and a server that has started logs next to nothing.
 */
import type { Writable } from 'node:stream';

/** As pino numbers them. */
const LEVELS = { debug: 20, info: 30, warn: 40, fatal: 60 } as const;

type Write = (fields: object, message: string) => void;

export type Log = Readonly<Record<keyof typeof LEVELS, Write>>;

/**
 * A silent one writes nothing, whatever the level. A reader of `target` that goes away does not end the
 * process.
 */
export function openLog(target: Writable, isSilent: boolean): Log {
  if (!isSilent) target.on('error', () => undefined);
  const at =
    (level: number): Write =>
    (fields, message) => {
      if (isSilent) return;
      target.write(`${JSON.stringify({ level, time: Date.now(), ...fields, msg: message })}\n`);
    };
  return { debug: at(LEVELS.debug), info: at(LEVELS.info), warn: at(LEVELS.warn), fatal: at(LEVELS.fatal) };
}
