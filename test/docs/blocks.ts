// The blocks of code in the README, the guides and the packages' READMEs, by page and number.
import { listFiles, readText } from '../tidy/sources.js';

export type BlockLanguage = 'js' | 'ts' | 'sh';

export interface Block {
  /** The page, and which of its blocks it is, from 1. */
  name: string;
  language: BlockLanguage;
  code: string;
}

const PAGES = /^(README\.md|docs\/(?!decisions\/).*\.md|packages\/[^/]+\/README\.md)$/;

export const blocks: readonly Block[] = listFiles(PAGES).flatMap((page) =>
  [...readText(page).matchAll(/^```(js|ts|sh)\n([\s\S]*?)^```$/gm)].map(([, language, code], index) => ({
    name: `${page} ${index + 1}`,
    language: language as BlockLanguage,
    code: code!,
  })),
);

/** Whole programs: those in JavaScript of a README. Other pages show parts. */
export const isWholeProgram = ({ name, language }: Block) =>
  language === 'js' && /^(packages\/[^/]+\/)?README\.md /.test(name);

/** What installs a package: `npm run pack:check` does it with each of them, packed. */
export const isInstallation = ({ language, code }: Block) =>
  language === 'sh' && /^(npm install( @sbx\/[\w-]+)+\n)+$/.test(code);
