import assert from 'node:assert/strict';
import { globSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const decisionsFolder = join(root, 'docs', 'decisions');

/** A decision on one of the pages: a section `## D12: Never resubmit`, or a row `| D27 | API version | … |`. */
interface Decision {
  readonly id: string;
  readonly page: string;
  readonly shortName: string;
  readonly text: string;
}

interface Section {
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** Limits that keep the pages few and the decisions short. */
const maxPages = 10;
const maxSectionWords = 320;
const maxSectionLines = 16;
const maxRowWords = 45;

/** Decisions about documents and design that no test title cites. The code structure, lint or reviews enforce them. */
const untestedDecisions = ['D32', 'D46', 'D47', 'D50', 'D52', 'D53', 'D54', 'D56', 'D57'];

/** The rows of §4.8 in docs/protocol.md. */
const checks = Array.from({ length: 17 }, (_, index) => `§4.8 row ${String(index + 1)}`);

function listIds(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `D${String(first + index)}`);
}

function read(...path: readonly string[]): string {
  return readFileSync(join(root, ...path), 'utf8');
}

function readPage(page: string): string {
  return read('docs', 'decisions', page);
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Returns the sections below the title of a page, with or without a number. */
function readSections(page: string): readonly Section[] {
  return readPage(page)
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return { page, heading, text: lines.join('\n').trim() };
    });
}

/** Returns the decisions that have a section of their own. */
function readNumberedSections(page: string): readonly Decision[] {
  return readSections(page).flatMap(({ heading, text }) => {
    const [, id, name = ''] = /^(D\d+): (.+)$/.exec(heading) ?? [];
    return id === undefined ? [] : [{ id, page, shortName: uncapitalize(name), text }];
  });
}

/** Returns the decisions in the table of a page, each in one row. */
function readRows(page: string): readonly Decision[] {
  return [...readPage(page).matchAll(/^\| (D\d+) +\| (.+?) +\| (.+?) +\|$/gm)].map(
    ([, id = '', shortName = '', text = '']) => ({ id, page, shortName, text }),
  );
}

function isWithdrawn({ text }: Decision): boolean {
  return text.startsWith('Withdrawn: ');
}

/** Returns the decisions of each page that the index lists: `| [Moving files](moving-files.md) | D23–D25, D68 |`. */
function readIndex(): Readonly<Record<string, readonly string[]>> {
  const rows = readPage('README.md').matchAll(/^\| \[.+?\]\((.+?)\) +\| (D.+?) +\|$/gm);
  return Object.fromEntries(
    Array.from(rows, ([, page = '', ranges = '']) => [page, ranges.split(', ').flatMap(expand)]),
  );
}

/** Expands `D23–D25` to its three numbers. */
function expand(range: string): readonly string[] {
  const [first = 0, last = first] = range.split('–').map((id) => Number(id.slice(1)));
  return listIds(first, last);
}

/** Returns a heading as a short name. Names that begin with an abbreviation keep its case. */
function uncapitalize(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.slice(0, 1).toLowerCase() + text.slice(1);
}

function sortIds(ids: readonly string[]): readonly string[] {
  return ids.toSorted((first, second) => Number(first.slice(1)) - Number(second.slice(1)));
}

/** Returns all files that may cite decisions, with their texts. */
function readCitingFiles(): readonly { readonly file: string; readonly text: string }[] {
  const patterns = ['{src,scripts,test}/**/*.{ts,tsx,mjs,cjs,css}', 'docs/**/*.md', '*.md'];
  return globSync(patterns, { cwd: root }).map((file) => ({ file, text: read(file) }));
}

/** Returns the citations that are followed by a name of up to four words. Longer texts aren't names. */
function findNamedCitations(text: string): readonly { readonly id: string; readonly name: string }[] {
  const lines = text.replaceAll(/\n\s*(?:\*|\/\/) ?/g, ' ');
  const patterns = [/\b(D[1-9]\d?) \(([^()]+)\)/g, /[(,;] ?(D[1-9]\d?): ([^(),;]+)(?=[),;])/g];
  return patterns
    .flatMap((pattern) => [...lines.matchAll(pattern)])
    .map((match) => ({ id: match[1] ?? '', name: match[2] ?? '' }))
    .filter(({ name }) => name.split(' ').length <= 4);
}

/** Returns all lines with a quotation mark from the tests, including the lines with titles. Omits comments. */
function readTestTitles(): string {
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => !file.endsWith('decisions.test.ts'));
  const lines = files.flatMap((file) => read(file).split('\n'));
  return lines.filter((line) => /['"`]/.test(line) && !/^\s*(?:\/\/|\/?\*)/.test(line)).join('\n');
}

function findUntested(names: readonly string[]): readonly string[] {
  const titles = readTestTitles();
  return names.filter((name) => !new RegExp(`${name}(?!\\d)`).test(titles));
}

describe('The decisions', () => {
  const pages = readdirSync(decisionsFolder).filter((file) => file !== 'README.md');
  const sections = pages.flatMap(readSections);
  const numbered = pages.flatMap(readNumberedSections);
  const rows = pages.flatMap(readRows);
  const all = [...numbered, ...rows];
  const valid = all.filter((decision) => !isWithdrawn(decision));
  const known = new Set(valid.map(({ id }) => id));

  it('are numbered from D1 without a gap, including the withdrawn ones, and each number has one place', () => {
    assert.ok(valid.length >= 67);
    assert.deepEqual(sortIds(all.map(({ id }) => id)), listIds(1, all.length));
  });

  it('are on the pages where the index lists them', () => {
    const placed = Object.fromEntries(
      pages.map((page) => [page, sortIds(all.filter((decision) => decision.page === page).map(({ id }) => id))]),
    );
    assert.deepEqual(readIndex(), placed);
  });

  it('have headings of the form "D12: Never resubmit"', () => {
    const headings = sections.map(({ heading }) => heading).filter((heading) => /\bD\d/.test(heading));
    assert.equal(headings.length, numbered.length);
    assert.deepEqual(
      headings.filter((heading) => !/^D\d+: [A-Z]/.test(heading)),
      [],
    );
  });

  it('have different short names of at most four words', () => {
    const names = all.map(({ shortName }) => shortName);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(
      names.filter((name) => name.split(' ').length > 4 || /[():;,.]$/.test(name)),
      [],
    );
  });

  it('begin with their reason, in sections and rows of limited length, on a few pages', () => {
    assert.ok(pages.length <= maxPages);
    const isTooLong = (text: string): boolean =>
      countWords(text) > maxSectionWords || text.split('\n').filter((line) => line !== '').length > maxSectionLines;
    const isUnexplained = ({ text }: Decision): boolean => !/^[^-|#\n].*[.:]\n\n./.test(text);
    const wrong = [
      ...sections.filter(({ text }) => !/^\|/.test(text) && isTooLong(text)).map(({ heading }) => heading),
      ...numbered.filter(isUnexplained).map(({ id }) => `${id} has no reason before its rules`),
      ...rows.filter(({ text }) => countWords(text) > maxRowWords || !text.endsWith('.')).map(({ id }) => id),
    ];
    assert.deepEqual(wrong, []);
  });

  it('include every decision that code, tests or documents cite, and are cited only until they are withdrawn', () => {
    const withoutRows = (text: string): string => text.replaceAll(/^\| D\d+ +\| .+ Withdrawn: .+$/gm, '');
    const withoutIndex = (file: string, text: string): string =>
      file === join('docs', 'decisions', 'README.md') ? text.replaceAll(/^\|.+\|$/gm, '') : withoutRows(text);
    const unknown = readCitingFiles().flatMap(({ file, text }) =>
      [...withoutIndex(file, text).matchAll(/\bD[1-9]\d?\b/g)]
        .filter(([id]) => !known.has(id))
        .map(([id]) => `${file}: ${id}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('are cited with their own short name: "D12 (never resubmit)", "(D12: never resubmit)"', () => {
    const wrong = readCitingFiles().flatMap(({ file, text }) =>
      findNamedCitations(text)
        .filter(({ id, name }) => valid.find((decision) => decision.id === id)?.shortName !== name)
        .map(({ id, name }) => `${file}: ${id} is not "${name}"`),
    );
    assert.deepEqual(wrong, []);
  });

  it('are cited by the title of at least one test', () => {
    const ids = valid.map(({ id }) => id).filter((id) => !untestedDecisions.includes(id));
    assert.deepEqual(findUntested(ids), []);
  });
});

describe('The contract', () => {
  it('has its checks before sending, each cited by the title of at least one test', () => {
    assert.equal(read('docs', 'protocol.md').match(/^\| \d+ +\|/gm)?.length, checks.length);
    assert.deepEqual(findUntested(checks), []);
  });
});
