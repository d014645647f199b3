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
  ])('%j: %s', (code, name) => {
    expect(javaMainClass(code)).toBe(name);
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
