import type { LanguageDefinition, StepContext } from '../language.js';
import { javaMainClass, javaPublicType } from './java-source.js';
import { MiB } from './sizes.js';

/**
 * A JVM that sees no cgroup files sizes heap and threads by the host. 20 tasks were measured, 16 with the
 * serial collector, and 34 MiB. Perf data is a file in /tmp that nobody reads.
 */
const SMALL_JVM = ['-XX:+UseSerialGC', '-XX:ActiveProcessorCount=1', '-XX:-UsePerfData'];

/**
 * The heap may grow to the whole memory limit: what is over it is the limit's to judge, not an
 * OutOfMemoryError's.
 */
function heapArgs({ memoryBytes }: StepContext): string[] {
  return memoryBytes === null ? [] : [`-Xmx${Math.max(16, Math.floor(memoryBytes / MiB))}m`];
}

/**
 * Compiles everything beside the source it refers to, then packs the classes, whose names nobody can know
 * before. Of a source without any javac makes no folder, and jar would complain about ours.
 */
const BUILD =
  'javac -J-Xmx384m -J-XX:TieredStopAtLevel=1 $JVM -encoding UTF-8 -d .sbx/classes "$1" && ' +
  '{ [ -d .sbx/classes ] || { echo "$1: no class with a main method" >&2; exit 1; }; } && ' +
  'jar -J-XX:TieredStopAtLevel=1 $JVM --create --no-compress --file main.jar --main-class "$2" -C .sbx/classes .';

export const java: LanguageDefinition = {
  name: 'java',
  title: 'Java',
  extensions: ['.java'],
  fileName: (code) => `${javaPublicType(code) ?? 'Main'}.java`,
  compile: {
    file: '/bin/sh',
    args: ({ source, code }) => [
      '-c',
      BUILD,
      'sh',
      source,
      javaMainClass(code) ?? source.replace(/\.java$/, ''),
    ],
    env: { JVM: SMALL_JVM.map((arg) => `-J${arg}`).join(' ') },
    limits: { cpuTimeMs: 60_000, wallTimeMs: 90_000, memoryBytes: 768 * MiB, processCount: 64 },
    output: ['main.jar'],
  },
  run: {
    file: 'java',
    args: (context) => [...SMALL_JVM, ...heapArgs(context), '-Xss64m', '-jar', 'main.jar'],
    limits: { processCount: 64 },
  },
  needs: ['javac', 'jar', 'java', '/bin/sh'],
  version: {
    file: 'javac',
    args: SMALL_JVM.map((arg) => `-J${arg}`).concat('-version'),
    pattern: /javac (\S+)/,
  },
  seccompFamily: 'jvm',
  debianPackage: 'default-jdk-headless',
};
