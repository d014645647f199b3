import { describe, expect, it } from 'vitest';
import type { Response } from './responses.js';
import { findHandler, findSimple, matchRoute } from './routes.js';

const patternOf = (method: string, path: string) => matchRoute(method, path)?.pattern ?? null;

describe('matchRoute', () => {
  it.each([
    ['POST', '/run', '/run'],
    ['GET', '/file', '/file'],
    ['POST', '/file', '/file'],
    ['GET', '/file/ABC', '/file/:fid'],
    ['DELETE', '/file/ABC', '/file/:fid'],
    ['GET', '/version', '/version'],
    ['GET', '/ws', '/ws'],
    ['GET', '/run', null],
    ['POST', '/run/', null],
    ['PUT', '/file/ABC', null],
    ['GET', '/file/', null],
    ['GET', '/file/a/b', null],
    ['GET', '/file/:fid', '/file/:fid'],
    ['GET', '/', null],
    ['constructor', '/run', null],
    ['__proto__', '/file', null],
    ['toString', '/file/ABC', null],
  ])('%s %s', (method, path, pattern) => {
    expect(patternOf(method, path)).toBe(pattern);
  });

  it('the id is what follows', () => {
    expect(matchRoute('GET', '/file/a b')!.id).toBe('a b');
  });
});

describe('findHandler', () => {
  /** Status, and where it leads, of an answer that is made without a handler. */
  function outcome(method: string, url: string, refusal: 0 | 401 | 403 = 0) {
    const { handle } = findHandler(() => refusal, method, url, {});
    if (handle.length > 0) return 'a handler';
    const { status, headers } = (handle as unknown as () => Response)();
    const location = (headers as Record<string, unknown> | undefined)?.Location;
    return location === undefined ? status : [status, location];
  }

  it('a path in no row is not found, whatever the method', () => {
    expect(outcome('GET', '/nothing')).toBe(404);
    expect(outcome('GET', '/run')).toBe(404);
    expect(outcome('BREW', '/')).toBe(404);
  });

  it('a path that cannot be read is a bad request', () => {
    expect(outcome('GET', '/%zz')).toBe(400);
  });

  it('a slash too many leads on, with the query', () => {
    expect(outcome('GET', '/file/?a=1')).toEqual([301, '/file?a=1']);
    expect(outcome('POST', '/run/')).toEqual([307, '/run']);
    expect(outcome('GET', '/nothing/')).toBe(404);
  });

  it('nobody gets in without the token, but to what is open', () => {
    expect(outcome('POST', '/run', 401)).toBe(401);
    expect(outcome('GET', '/nothing', 401)).toBe(401);
    expect(findHandler(() => 401, 'GET', '/version', {}).open).toBe(true);
    expect(findHandler(() => 403, 'GET', '/version', {}).open).toBe(false);
  });

  it('a refusal keeps the pattern, for the metrics', () => {
    expect(findHandler(() => 403, 'POST', '/run', {}).pattern).toBe('/run');
    expect(findHandler(() => 0, 'GET', '/nothing', {}).pattern).toBe('');
  });
});

it('findSimple leaves what is in no row to findHandler, and checks who comes', () => {
  expect(findSimple(() => 0, 'GET', '/nothing', {})).toBeNull();
  expect(findSimple(() => 0, 'POST', '/run', {})!.handle.length).toBeGreaterThan(0);
  expect(findSimple(() => 401, 'POST', '/run', {})!.handle.length).toBe(0);
});
