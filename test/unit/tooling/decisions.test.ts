import assert from 'node:assert/strict';
import { globSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const decisionsFolder = join(root, 'docs', 'decisions');

/** An entry in the decision index: `| [D12](0012-never-resubmit.md) | never resubmit | … |`. */
interface IndexedDecision {
  readonly id: string;
  readonly file: string;
  readonly shortName: string;
  readonly summary: string;
}

/** Decisions about documents and design that no test title cites. The code structure, lint or reviews enforce them. */
const untestedDecisions = ['D32', ...listIds(46, 57)];

/** The rows of §4.8 in docs/protocol.md. */
const rows = Array.from({ length: 17 }, (_, index) => `§4.8 row ${String(index + 1)}`);

function listIds(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `D${String(first + index)}`);
}

function read(...path: readonly string[]): string {
  return readFileSync(join(root, ...path), 'utf8');
}

function readIndex(): readonly IndexedDecision[] {
  const pattern = /^\| \[(D\d+)\]\(([^)]+)\) +\| (.+?) +\| (.+?) +\|$/gm;
  return [...read('docs', 'decisions', 'README.md').matchAll(pattern)].map((match) => ({
    id: match[1] ?? '',
    file: match[2] ?? '',
    shortName: match[3] ?? '',
    summary: match[4] ?? '',
  }));
}

/** Returns the IDs of withdrawn decisions, whose rows have no file and whose numbers aren't used again. */
function readWithdrawn(): readonly string[] {
  const rows = read('docs', 'decisions', 'README.md').matchAll(/^\| (D\d+) +\| .+? +\| Withdrawn: .+ +\|$/gm);
  return [...rows].map(([, id = '']) => id);
}

/** Returns the file name of a decision, which consists of its number and short name. */
function nameFile({ id, shortName }: IndexedDecision): string {
  const slug = shortName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${id.slice(1).padStart(4, '0')}-${slug}.md`;
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
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
  const index = readIndex();
  const withdrawn = readWithdrawn();
  const known = new Set(index.map(({ id }) => id));

  it('are numbered from D1 without a gap, including the withdrawn ones', () => {
    const numbered = [...index.map(({ id }) => id), ...withdrawn];
    assert.ok(index.length >= 45);
    assert.deepEqual(new Set(numbered), new Set(listIds(1, numbered.length)));
  });

  it('have one file each, and every file is listed', () => {
    const files = readdirSync(decisionsFolder).filter((file) => file !== 'README.md');
    assert.deepEqual(files.toSorted(), index.map(({ file }) => file).toSorted());
  });

  it('have the same name in index, file name and heading', () => {
    const wrong = index.filter((decision) => {
      const heading = read('docs', 'decisions', decision.file).split('\n', 1)[0];
      const expected = `# ${decision.id}: ${capitalize(decision.shortName)}`;
      return decision.file !== nameFile(decision) || heading !== expected;
    });
    assert.deepEqual(wrong, []);
  });

  it('have different short names of at most four words', () => {
    const names = index.map(({ shortName }) => shortName);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(
      names.filter((name) => name.split(' ').length > 4 || /[():;,.]$/.test(name)),
      [],
    );
  });

  it('state their context, the decision and its consequences in ten to thirty lines', () => {
    const wrong = index.filter(({ file }) => {
      const lines = read('docs', 'decisions', file).trimEnd().split('\n');
      const headings = lines.filter((line) => line.startsWith('## '));
      const isComplete = headings.join() === '## Context,## Decision,## Consequences';
      return !isComplete || lines.length < 10 || lines.length > 30;
    });
    assert.deepEqual(wrong, []);
  });

  it('include every decision that code, tests or documents cite, and are cited only until they are withdrawn', () => {
    const withoutRows = (text: string): string => text.replaceAll(/^\| D\d+ +\| .+ Withdrawn: .+$/gm, '');
    const unknown = readCitingFiles().flatMap(({ file, text }) =>
      [...withoutRows(text).matchAll(/\bD[1-9]\d?\b/g)]
        .filter(([id]) => !known.has(id))
        .map(([id]) => `${file}: ${id}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('are cited with their own short name: "D12 (never resubmit)", "(D12: never resubmit)"', () => {
    const wrong = readCitingFiles().flatMap(({ file, text }) =>
      findNamedCitations(text)
        .filter(({ id, name }) => index.find((decision) => decision.id === id)?.shortName !== name)
        .map(({ id, name }) => `${file}: ${id} is not "${name}"`),
    );
    assert.deepEqual(wrong, []);
  });

  it('are cited by the title of at least one test', () => {
    const ids = index.map(({ id }) => id).filter((id) => !untestedDecisions.includes(id));
    assert.deepEqual(findUntested(ids), []);
  });
});

describe('The contract', () => {
  it('has its checks before sending, each cited by the title of at least one test', () => {
    assert.equal(read('docs', 'protocol.md').match(/^\| \d+ +\|/gm)?.length, rows.length);
    assert.deepEqual(findUntested(rows), []);
  });
});
