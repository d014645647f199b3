import { expect, it } from 'vitest';
import { BadRequest, RunFailure, StartFailure } from '../errors.js';
import { parseGoJson } from '../wire/json.js';
import { emptyResponse, errorResponse, jsonResponse, redirectResponse } from './responses.js';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return expect.unreachable();
}

it.each<[string, unknown, number, string]>([
  ['a request that cannot be meant', new BadRequest('files: more'), 400, '"files: more"'],
  ['JSON that is none', thrownBy(() => parseGoJson('{')), 400, '"unexpected EOF"'],
  [
    'a request that could not be carried out',
    new RunFailure('worker is shutting down'),
    500,
    '"worker is shutting down"',
  ],
  ['a defect, whose words are not the client’s', new TypeError('secret'), 500, '"internal error"'],
  ['a failure that belongs into a result', new StartFailure('secret'), 500, '"internal error"'],
])('%s', (_, error, status, body) => {
  expect(errorResponse(error, false)).toMatchObject({ status, body });
});

it('says in whole seconds when to try again, where go-judge’s literal answers are not asked for', () => {
  const busy = new RunFailure('worker queue is full', 1200);
  expect(errorResponse(busy, false).headers['Retry-After']).toBe(2);
  expect(errorResponse(new RunFailure('full', 1), false).headers['Retry-After']).toBe(1);
  expect(errorResponse(busy, true).headers).not.toHaveProperty('Retry-After');
});

it('a length is in bytes', () => {
  expect(jsonResponse(200, '"€"').headers['Content-Length']).toBe(5);
  expect(emptyResponse(401)).toEqual({ status: 401, headers: { 'Content-Length': 0 }, body: '' });
});

it('a redirect keeps the method, and its page shows no markup of the path', () => {
  expect(redirectResponse('POST', '/run')).toMatchObject({
    status: 307,
    body: '',
    headers: { Location: '/run' },
  });
  expect(redirectResponse('GET', `/a?"><b>&'`)).toMatchObject({
    status: 301,
    body: '<a href="/a?&#34;&gt;&lt;b&gt;&amp;&#39;">Moved Permanently</a>.\n\n',
  });
});
