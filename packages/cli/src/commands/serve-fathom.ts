/** `sbx serve fathom`: words of the command line → options → a server, until a signal ends it. */
import { setFlagsFromString } from 'node:v8';
import type { Limits } from '@sbx/core';
import { createFathomServer, type FathomServerOptions } from '@sbx/fathom-server';
import { ELSEWHERE_PARALLELISM } from '@sbx/serving';
import type { ServeFathomFlags } from '../flags.js';
import { serveUntilSignal } from '../serve/until-signal.js';
import { flagName, refuseOption, standbyFrom, tokenFrom } from '../serve/words.js';
import { parseCount, parseDurationMs, parseSizeBytes } from '../units.js';

const MB = 2 ** 20;

/**
 * Requests come one by one, with pauses between: V8 would interpret the server's code for its first hundreds
 * of them. Compiled at its first use it answers some 5 % sooner (docs/benchmarks.md).
 */
const V8_FLAGS = ['--always-sparkplug', '--no-lazy-feedback-allocation'];

/** Gives the exit code; throws what `reportFailure` tells. */
export async function serveFathomCommand(flags: ServeFathomFlags): Promise<number> {
  for (const flag of V8_FLAGS) setFlagsFromString(flag);
  const options = optionsFrom(flags);
  return serveUntilSignal({
    flags,
    open: (logger, engine) => {
      const elsewhere = engine === undefined ? {} : { parallelism: ELSEWHERE_PARALLELISM, engine };
      return createFathomServer({ ...elsewhere, ...options, logger }).catch(nameFlag);
    },
    about: ({ languages }) => ({ facts: { languages }, words: languages }),
  });
}

/** Flags that are not called as what they become. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  allowedOrigins: 'allowOrigin',
  language: 'languages',
};

/** What the server refuses of its options is told by the flag that it came from. */
function nameFlag(error: unknown): never {
  return refuseOption(error, ({ option }) =>
    flagName(NUMBERS.find(([, , name]) => name === option)?.[0] ?? OTHER_NAMES[option] ?? option),
  );
}

type Reader = (text: string, flag: string) => number;

const megabytes: Reader = (text, flag) => Math.floor(parseSizeBytes(text, flag) / MB);
const milliseconds: Reader = (text, flag) => Math.round(parseDurationMs(text, flag));

/** Flags that are one number: property, how it is written, which option it is. */
const NUMBERS = [
  ['port', parseCount, 'port'],
  ['standbyMemory', parseSizeBytes, 'standbyMemoryBytes'],
  ['parallelism', parseCount, 'parallelism'],
  ['queue', parseCount, 'queueLength'],
  ['perConnection', parseCount, 'parallelismPerConnection'],
  ['requestTotal', parseSizeBytes, 'requestTotalBytes'],
  ['answerTotal', parseSizeBytes, 'answerTotalBytes'],
  ['maxTimeout', milliseconds, 'timeoutMsMax'],
  ['maxMemory', megabytes, 'memoryMbMax'],
  ['maxOutput', parseSizeBytes, 'outputBytesMax'],
  ['maxCode', parseSizeBytes, 'codeBytesMax'],
  ['grace', milliseconds, 'orphanGraceMs'],
  ['drain', milliseconds, 'drainMs'],
] as const satisfies readonly (readonly [keyof ServeFathomFlags, Reader, keyof FathomServerOptions])[];

function optionsFrom(flags: ServeFathomFlags): FathomServerOptions {
  const { host, allowOrigin, languages, standby, network, root, allowDegraded } = flags;
  const numbers = NUMBERS.flatMap(([property, read, option]) => {
    const text = flags[property];
    return text === undefined ? [] : [[option, read(text, flagName(property))]];
  });
  return {
    ...Object.fromEntries(numbers),
    ...(host === undefined ? {} : { host }),
    ...(allowOrigin === undefined ? {} : { allowedOrigins: allowOrigin }),
    ...(languages === undefined ? {} : { languages: languages.split(',').map((name) => name.trim()) }),
    ...(standby === undefined ? {} : { standby: standbyFrom(standby) }),
    ...(network === undefined ? {} : { network }),
    ...(root === undefined ? {} : { root }),
    limits: limitsFrom(flags),
    ...(allowDegraded ? { require: [] } : {}),
    token: tokenFrom(flags),
  };
}

/** Limits that hold beside the client's. */
function limitsFrom({ processes, openFiles, fileSize }: ServeFathomFlags): Limits {
  return {
    ...(processes === undefined ? {} : { processCount: parseCount(processes, '--processes') }),
    ...(openFiles === undefined ? {} : { openFileCount: parseCount(openFiles, '--open-files') }),
    ...(fileSize === undefined ? {} : { fileBytes: parseSizeBytes(fileSize, '--file-size') }),
  };
}
