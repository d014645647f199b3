import { describe, expect, test } from 'vitest';
import { javaMainClass, javaPublicType } from './java-source.js';

describe('the public type', () => {
  test.each([
    ['public class Hello {}', 'Hello'],
    ['class A {} public final class B {}', 'B'],
    ['public abstract sealed class S permits T {}', 'S'],
    ['public record P(int x) {}', 'P'],
    ['public interface I {}', 'I'],
    ['class A {}', null],
    [
      '// public class No {}\n/* public class No {} */ String s = "public class No {}"; public enum E {}',
      'E',
    ],
    ['"""\npublic class No {}\n""" public class T {}', 'T'],
    ['/* never closed public class No {}', null],
    [String.raw`class A { String s = """a \""" public class No {} """; } public class T {}`, 'T'],
    ['public class Größe {}', 'Größe'],
  ])('%j: %s', (code, name) => {
    expect(javaPublicType(code)).toBe(name);
  });
});

describe('the class with main', () => {
  const main = 'public static void main(String[] a) {}';
  test.each([
    [`class A { ${main} }`, 'A'],
    [`class Node { int x; } class B { ${main} }`, 'B'],
    [`class A { static class Inner { int[] x = {1}; } ${main} }`, 'A'],
    [`class A { static class Inner { ${main} } }`, 'A$Inner'],
    [`package com.example; record P(int x) { ${main} }`, 'com.example.P'],
    [`class A { char brace = '}'; String s = "}"; /* } */ ${main} }`, 'A'],
    ['class A {}', null],
    ['static void main() {}', null],
    ['class A { static public synchronized void main(final String... a) {} }', 'A'],
    ['class A { public final static void main(java.lang.String[] a) {} }', 'A'],
    [`class Größe { ${main} }`, 'Größe'],
    [`class Helper { static void main(int x) {} void main() {} } class B { ${main} }`, 'B'],
    [`class Test { ${main} } public class Solution { ${main} }`, 'Solution'],
    [`class Test { ${main} } class Solution { ${main} }`, 'Test'],
    ['class A { void main() {} }', 'A'],
  ])('%j: %s', (code, name) => {
    expect(javaMainClass(code)).toBe(name);
  });

  const large = { timeout: 60_000 };
  test.each(['"a', '"\\a', "'a"])('16 MB of %j are no error', large, (beginning) => {
    const code = beginning + beginning.slice(1).repeat(2 ** 24 / Math.max(1, beginning.length - 1));
    expect([javaPublicType(code), javaMainClass(code)]).toEqual([null, null]);
  });

  test('a megabyte of hostile text is quick', () => {
    for (const bit of ['"', "'\\", '/*', 'public static ', 'class ', '{', 'public abstract\n']) {
      const before = process.cpuUsage();
      const code = bit.repeat(2 ** 20 / bit.length);
      javaMainClass(code);
      javaPublicType(code);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(1000);
    }
  });
});
