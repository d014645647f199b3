import os from 'node:os';
import { describe, expect, it } from 'vitest';
import { errnoName, errnoNumber, errnoText, signalName, signalNumber } from './errno.js';

describe('errno', () => {
  it.runIf(process.platform === 'linux')('agrees with every number that Node knows', () => {
    for (const [name, number] of Object.entries(os.constants.errno)) {
      expect(errnoNumber(name), name).toBe(number);
    }
  });

  it('names and explains numbers, also negative ones', () => {
    expect(errnoName(2)).toBe('ENOENT');
    expect(errnoName(-13)).toBe('EACCES');
    expect(errnoText(28)).toBe('No space left on device');
  });

  it('prefers the usual name where two share a number', () => {
    expect(errnoName(11)).toBe('EAGAIN');
    expect(errnoName(95)).toBe('EOPNOTSUPP');
  });

  it('has an answer for numbers and names that do not exist', () => {
    expect(errnoName(999)).toBe('E999');
    expect(errnoText(999)).toBe('Unknown error 999');
    expect(errnoNumber('ENOPE')).toBeNull();
  });
});

describe('signals', () => {
  it.runIf(process.platform === 'linux')('agrees with every signal that Node knows', () => {
    for (const [name, number] of Object.entries(os.constants.signals)) {
      expect(signalNumber(name), name).toBe(number);
    }
  });

  it('names every number from 1 to 64 in a way that reads back', () => {
    for (let number = 1; number <= 64; number++) {
      expect(signalNumber(signalName(number)), signalName(number)).toBe(number);
    }
  });

  it('counts real-time signals from SIGRTMIN', () => {
    expect(signalName(34)).toBe('SIGRTMIN');
    expect(signalName(36)).toBe('SIGRTMIN+2');
    expect(signalName(64)).toBe('SIGRTMIN+30');
    expect(signalNumber('SIGRTMAX-1')).toBe(63);
  });

  it('gives unknown numbers a plain name', () => {
    expect(signalName(32)).toBe('SIG32');
    expect(signalName(0)).toBe('SIG0');
    expect(signalName(65)).toBe('SIG65');
  });

  it.each(['SIGNOPE', 'SIGRTMIN+31', 'SIGRTMAX-31', 'SIG0', 'SIG65', 'TERM', 'SIG-', ''])(
    'refuses %j',
    (name) => {
      expect(signalNumber(name)).toBeNull();
    },
  );

  it.each([0, 65, 1.5, Number.NaN, -9])('refuses the number %d', (number) => {
    expect(signalNumber(number)).toBeNull();
  });
});
