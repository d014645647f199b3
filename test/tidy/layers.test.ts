// The import tables of layers-table.ts hold for every edge in the sources.
import { dirname, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NATIVE_MAY_INCLUDE, PACKAGE_MAY_IMPORT, STOREYS } from './layers-table.js';
import { type Import, importsOf, listFiles, oncePerFile, parse, readText } from './sources.js';

const isTest = (file: string) => file.endsWith('.test.ts');
const isRelative = (specifier: string) => specifier.startsWith('.');

/** The file a relative specifier means: sources name each other by the `.js` that is built from them. */
function target(file: string, specifier: string): string {
  return normalize(`${dirname(file)}/${specifier}`).replace(/\.js$/, '.ts');
}

type Edge = { file: string } & Import;

const edgesOf = oncePerFile((file): Edge[] => importsOf(parse(file)).map((edge) => ({ file, ...edge })));

function edges(files: string[]): Edge[] {
  return files.flatMap(edgesOf);
}

/** `@sbx/name/entry`, offered by the package's own manifest. */
function isEntry(specifier: string): boolean {
  const [, name, entry] = specifier.split('/');
  return `./${entry}` in JSON.parse(readText(`packages/${name}/package.json`)).exports;
}

const packageSources = listFiles(/^packages\/[^/]+\/src\/.*\.ts$/).filter((file) => !isTest(file));

describe('packages', () => {
  test('each has a row in the table', () => {
    const names = new Set(listFiles(/^packages\//).map((file) => file.split('/')[1]));
    expect([...names].sort()).toEqual(Object.keys(PACKAGE_MAY_IMPORT).sort());
  });

  test('each stays within its folder', () => {
    const escapes = edges(packageSources).filter(({ file, specifier }) => {
      const home = `${file.split('/').slice(0, 3).join('/')}/`;
      return isRelative(specifier) && !target(file, specifier).startsWith(home);
    });
    expect(escapes).toEqual([]);
  });

  test('each imports only the packages of its row, at their index', () => {
    const wrong = edges(packageSources).filter(({ file, specifier }) => {
      const allowed = PACKAGE_MAY_IMPORT[file.split('/')[1]!]!;
      return specifier.startsWith('@sbx/') && !allowed.includes(specifier);
    });
    expect(wrong).toEqual([]);
  });

  test('core imports nothing but node:*, itself, what is built into it, and in files/ the format of archives', () => {
    const wrong = edges(packageSources).filter(
      ({ file, specifier }) =>
        file.startsWith('packages/core/') &&
        !isRelative(specifier) &&
        !specifier.startsWith('node:') &&
        specifier !== '@sbx/shared' &&
        !(specifier === 'modern-tar' && file.startsWith('packages/core/src/files/')),
    );
    expect(wrong).toEqual([]);
  });

  // Types of OpenTelemetry, which the host may bring, leave nothing in the code.
  test('the wire of the two-pipe protocol imports nothing but what clients share, node:* included', () => {
    const home = 'packages/fifo-protocol/src/';
    const shared = 'packages/shared/src/';
    const wire = packageSources.filter((file) => file.startsWith(home) && !file.startsWith(`${home}server/`));
    const pure = [...wire, ...packageSources.filter((file) => file.startsWith(shared))];
    const wrong = edges(pure).filter(({ file, specifier, typeOnly }) =>
      isRelative(specifier)
        ? target(file, specifier).startsWith(`${home}server/`)
        : !(specifier === '@sbx/shared' && file.startsWith(home)) &&
          !(specifier === '@opentelemetry/api' && typeOnly && file === `${shared}tracing.ts`),
    );
    expect(wrong).toEqual([]);
  });

  test('tests across packages import no inner file', () => {
    const wrong = edges(listFiles(/^test\/.*\.m?[tj]s$/)).filter(({ file, specifier }) =>
      specifier.startsWith('@sbx/')
        ? specifier.split('/').length > 2 && !isEntry(specifier)
        : isRelative(specifier) && !target(file, specifier).startsWith('test/'),
    );
    expect(wrong).toEqual([]);
  });
});

/** Imports within a package. */
const inner = edges(packageSources)
  .filter(({ specifier }) => isRelative(specifier))
  .map(({ file, specifier }) => ({ file, imports: target(file, specifier) }));

describe.each(Object.entries(STOREYS))('storeys of %s', (name, storeys) => {
  const home = `packages/${name}/src/`;
  const rows = storeys.flatMap((entries, storey) => entries.map((entry) => ({ entry, storey })));

  /** Undefined for a file with no row. */
  function storeyOf(file: string): number | undefined {
    const path = file.slice(home.length);
    const fits = rows.filter(({ entry }) => (entry.endsWith('/') ? path.startsWith(entry) : path === entry));
    return fits.sort((a, b) => b.entry.length - a.entry.length)[0]?.storey;
  }

  test('every file stands on one', () => {
    const files = packageSources.filter((file) => file.startsWith(home));
    expect(files.filter((file) => storeyOf(file) === undefined)).toEqual([]);
  });

  test('every entry has a file', () => {
    const isEmpty = ({ entry }: { entry: string }) =>
      !packageSources.some((file) => file.startsWith(home + entry));
    expect(rows.filter(isEmpty)).toEqual([]);
  });

  test('nothing imports upwards, types included', () => {
    const own = inner.filter(({ file }) => file.startsWith(home));
    const upwards = own.filter(({ file, imports }) => (storeyOf(imports) ?? 0) > (storeyOf(file) ?? 0));
    expect(upwards).toEqual([]);
  });
});

test('no files import each other in a circle, types included', () => {
  const importsOfFile = new Map<string, string[]>(packageSources.map((file) => [file, []]));
  for (const { file, imports } of inner) importsOfFile.get(file)!.push(imports);
  /** All that a file leads to. */
  const reached = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const left = [from];
    for (let file = left.pop(); file !== undefined; file = left.pop())
      for (const next of importsOfFile.get(file) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        left.push(next);
      }
    return seen;
  };
  const reach = new Map(packageSources.map((file) => [file, reached(file)]));
  const inCircles = packageSources.filter((file) => reach.get(file)!.has(file));
  expect(inCircles).toEqual([]);
});

describe('native', () => {
  const NODE_HEADERS = /^(napi|node_api|node|uv|v8)(-inl)?\.h$/;
  const sources = listFiles(/^native\/.*\.(h|cc)$/);

  const includes = sources.flatMap((file) =>
    [...readText(file).matchAll(/^#include\s+[<"]([^>"]+)[>"]/gm)].map((match) => ({
      file,
      header: match[1]!,
    })),
  );
  const folderOf = (file: string) => file.split('/')[1]!;

  /** The folder of ours that a header is in: written from native/, or relative to the file. */
  function folderOfHeader(file: string, header: string): string | undefined {
    const candidates = [`native/${header}`, normalize(`${dirname(file)}/${header}`)];
    const found = candidates.find((path) => sources.includes(path));
    return found && folderOf(found);
  }

  test('each folder has a row in the table', () => {
    expect(Object.keys(NATIVE_MAY_INCLUDE)).toEqual(
      expect.arrayContaining([...new Set(sources.map(folderOf))]),
    );
  });

  test('each folder includes only the folders of its row', () => {
    const wrong = includes.filter(({ file, header }) => {
      const folder = folderOfHeader(file, header);
      const own = folderOf(file);
      return folder && folder !== own && !NATIVE_MAY_INCLUDE[own]?.folders.includes(folder);
    });
    expect(wrong).toEqual([]);
  });

  test('only the addon knows Node', () => {
    const wrong = includes.filter(
      ({ file, header }) => NODE_HEADERS.test(header) && !NATIVE_MAY_INCLUDE[folderOf(file)]?.node,
    );
    expect(wrong).toEqual([]);
  });
});
