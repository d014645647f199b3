// No page is lost, and the pages about limits name all that there is.
import { DEFAULT_LIMITS, FEATURES, STATUSES } from '@sbx/core';
import { expect, test } from 'vitest';
import { listFiles, readText } from './sources.js';

const linksOf = (page: string) => [...readText(page).matchAll(/\]\(([^)#\s]+)/g)].map((match) => match[1]!);

test('every page of docs/ is in the reading order', () => {
  const pages = listFiles(/^docs\/(?!README).*\.md$/).map((page) => page.slice('docs/'.length));
  const links = linksOf('docs/README.md');
  expect(pages.filter((page) => !links.includes(page))).toEqual([]);
});

test('docs/limits.md has a section for each limit, and names each status', () => {
  const page = readText('docs/limits.md');
  const headings = [...page.matchAll(/^### (\w+)$/gm)].map((match) => match[1]);
  expect(headings).toEqual(Object.keys(DEFAULT_LIMITS));
  expect(STATUSES.filter((status) => !page.includes(`\`${status}\``))).toEqual([]);
});

test('docs/limits.md names every guarantee that can be missing', () => {
  const page = readText('docs/limits.md');
  expect(FEATURES.filter((feature) => !page.includes(`\`${feature}\``))).toEqual([]);
});

test('a decision is at most 76 lines, with context, decision and consequences', () => {
  for (const page of listFiles(/^docs\/decisions\/.*\.md$/)) {
    const text = readText(page);
    expect(text.trimEnd().split('\n').length, page).toBeLessThanOrEqual(76);
    for (const heading of ['Context', 'Decision', 'Consequences'])
      expect(text, page).toContain(`## ${heading}`);
  }
});
