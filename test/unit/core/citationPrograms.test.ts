import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { formatSortedName } from '../../../src/core/citations/citation.ts';
import { formatApa, writeCitations } from '../../../src/core/citations/citationFormats.ts';
import { checkCitationFile } from '../../support/citationFileRules.ts';
import { parseWithBiblatexConverter } from '../../support/citationOracles.ts';
import { citeDescribedWorks, describedWorks } from '../../support/describedWorks.ts';
import { isDeep } from '../../support/testSize.ts';

const run = promisify(execFile);
const texts = { message: 'Please cite these data.', title: 'Data sets', unknownAuthor: 'anonymous' };
const citations = citeDescribedWorks();
const works = describedWorks.map((work, index) => ({ ...work, key: citations[index]?.key ?? '' }));

/** The Debian packages of the programs. */
const packages: Readonly<Record<string, string>> = {
  bibtex: 'texlive-binaries',
  bibtexu: 'texlive-binaries',
  pdflatex: 'texlive-latex-base',
  pdftotext: 'poppler-utils',
  biber: 'biber',
  pandoc: 'pandoc',
  bib2xml: 'bibutils',
  ris2xml: 'bibutils',
};

/** Runs a program. Throws if it fails, or with the name of its package if it is missing. */
async function runProgram(program: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await run(program, args, { cwd, maxBuffer: 2 ** 26, env: { ...process.env, LC_ALL: 'C.UTF-8' } })).stdout;
  } catch (error) {
    const { code, stdout = '' } = error as { code?: unknown; stdout?: string };
    // Unlike bibtex, bibtexu fails if it has warnings.
    if (program === 'bibtexu' && /\(There were \d+ warnings\)/.test(stdout)) return stdout;
    if (code === 'ENOENT')
      throw new Error(`${program} is missing: apt-get install ${packages[program] ?? program}`, { cause: error });
    throw new Error(`${program} failed: ${stdout}`, { cause: error });
  }
}

describe('The citations of described works', () => {
  it('have every author, editor, publisher, date, version, DOI and license of the descriptions', () => {
    assert.deepEqual(
      citations.map((citation, index) => ({
        description: works[index]?.description,
        title: citation.title,
        authors: citation.authors.map(formatSortedName),
        editors: citation.editors.map(formatSortedName),
        ...(citation.publisher !== undefined && { publisher: citation.publisher }),
        ...(citation.issued !== undefined && { issued: citation.issued }),
        ...(citation.version !== undefined && { version: citation.version }),
        ...(citation.doi !== undefined && { doi: citation.doi }),
        licenses: citation.licenses.map(({ name }) => name),
      })),
      describedWorks,
    );
  });

  for (const [index, { description }] of describedWorks.entries()) {
    it(`are a valid CITATION.cff for ${description}`, () => {
      assert.deepEqual(checkCitationFile(writeCitations('cff', citations.slice(index, index + 1), texts)).errors, []);
    });
  }
});

interface CslName {
  readonly family?: string;
  readonly given?: string;
  readonly literal?: string;
  readonly 'dropping-particle'?: string;
  readonly 'non-dropping-particle'?: string;
}

interface CslItem {
  readonly id: string;
  readonly author?: readonly CslName[];
  readonly editor?: readonly CslName[];
  readonly issued?: { readonly 'date-parts': readonly (readonly (number | string)[])[] };
  readonly DOI?: string;
}

/** Joins the parts of names that programs split differently, such as `van den` and `Berg`. */
function joinName({ family, given, literal, ...particles }: CslName): string {
  const surname = [particles['dropping-particle'], particles['non-dropping-particle'], family]
    .filter(Boolean)
    .join(' ');
  return literal ?? [surname, given].filter(Boolean).join(', ');
}

/** Looks for licenses anywhere in an item, because pandoc makes a field of a note such as `License: …`. */
function readItem(item: CslItem): Facts {
  const { author = [], editor = [], issued, DOI: doi } = item;
  const note = JSON.stringify(item);
  const parts = issued?.['date-parts'][0]?.map((part) => String(part).padStart(2, '0'));
  return { authors: author.map(joinName), editors: editor.map(joinName), issued: parts?.join('-'), doi, note };
}

interface Facts {
  readonly authors: readonly string[];
  readonly editors: readonly string[];
  readonly issued?: string | undefined;
  readonly doi?: string | undefined;
  readonly note: string;
}

interface Conversions {
  readonly toName?: (name: string) => string;
  readonly toDate?: (date: string) => string;
}

/** Compares the facts that a program has read, in the order of the works, with those of the descriptions. */
function checkFacts(read: readonly Facts[], program: string, conversions: Conversions = {}): void {
  const { toName = (name: string) => name, toDate = (date: string) => date } = conversions;
  assert.equal(read.length, works.length);
  for (const [index, { authors, editors, issued, doi, licenses, description }] of works.entries()) {
    const { note, ...facts } = read[index] ?? assert.fail();
    assert.deepEqual(
      facts,
      { authors: authors.map(toName), editors: editors.map(toName), issued: issued && toDate(issued), doi },
      `${program}: ${description}`,
    );
    for (const license of licenses) assert.ok(note.includes(license), `${program}: ${note}`);
  }
}

/** Reads the records of a MODS document. Names are sorted words. */
function readMods(xml: string): readonly Facts[] {
  return [...xml.matchAll(/<mods[^>]*>([^]*?)<\/mods>/g)].map(([, record = '']) => {
    const list = (pattern: RegExp, text = record): readonly string[] =>
      [...text.matchAll(pattern)].map(([, found = '']) => found.replaceAll('&amp;', '&'));
    const names = list(/<name(?: [^>]*)?>([^]*?)<\/name>/g);
    const readNames = (role: string): readonly string[] =>
      names
        .filter((name) => name.includes(`>${role}<`))
        .map((name) => toWords(list(/<namePart[^>]*>(.*?)<\/namePart>/g, name).join(' ')));
    const [issued] = list(/<dateIssued[^>]*>(.+?)<\/dateIssued>/g);
    const [doi] = list(/<identifier type="doi">(.*?)<\/identifier>/g);
    const note = list(/<note>(.*?)<\/note>/g).join('; ');
    return { authors: readNames('author'), editors: readNames('editor'), issued, doi, note };
  });
}

function toWords(name: string): string {
  const words = name.split(/[\s,]+/).map((word) => word.replace(/\.$/, ''));
  return words.filter(Boolean).sort().join(' ');
}

/** Returns true for the name of a group, which has no comma or words that no person's name has. */
function isGroup(name: string): boolean {
  return citations.some(({ authors, editors }) => [...authors, ...editors].some(({ literal }) => literal === name));
}

function omitCommas(name: string): string {
  return name.replaceAll(', ', ' ');
}

/** Declares the letters outside Latin alphabets, for which no fonts are installed. */
function createDocument(style: string): string {
  const letters = new Set(writeCitations('bibtex', citations, texts).match(/[\u0370-\u1DFF]/gu));
  const declared = [...letters].map((letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `\\DeclareUnicodeCharacter{${code}}{u${code}}`;
  });
  const start = [
    '\\documentclass{article}',
    '\\usepackage[T1]{fontenc}',
    '\\usepackage{lmodern,textcomp}',
    ...declared,
  ];
  const body = ['\\begin{document}', '\\nocite{*}', `\\bibliographystyle{${style}}`, '\\bibliography{all}'];
  return [...start, ...body, '\\end{document}', ''].join('\n');
}

/** Returns a name as a style prints it: with initials in `abbrv`. */
function formatPrinted(name: string, style: string): string {
  const [family = '', given] = isGroup(name) ? [name] : name.split(', ');
  if (given === undefined) return name;
  const initials = given.split(' ').map((word) =>
    word
      .split('-')
      .map((part) => `${part.slice(0, 1)}.`)
      .join('-'),
  );
  return `${style === 'abbrv' ? initials.join(' ') : given} ${family}`;
}

// The programs are installed only where the tests run at full size.
if (isDeep)
  describe('The programs that read citations', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'citation-programs-'));
      for (const [format, name] of [
        ['bibtex', 'all.bib'],
        ['ris', 'all.ris'],
        ['csl', 'all.json'],
      ] as const)
        await writeFile(join(folder, name), writeCitations(format, citations, texts));
    });
    after(() => rm(folder, { recursive: true }));

    it('pandoc reads all facts from BibTeX and CSL-JSON', async () => {
      for (const [format, file] of [
        ['biblatex', 'all.bib'],
        ['csljson', 'all.json'],
      ] as const) {
        const items = JSON.parse(
          await runProgram('pandoc', ['-f', format, '-t', 'csljson', file], folder),
        ) as CslItem[];
        checkFacts(items.map(readItem), format);
      }
    });

    it('citeproc prints the same names, years and editors in APA style', async () => {
      const { apa } = createRequire(import.meta.url)('@citation-js/plugin-csl/lib/styles.json') as { apa: string };
      await writeFile(join(folder, 'apa.csl'), apa);
      await writeFile(join(folder, 'all.md'), '---\nnocite: "@*"\n---\n');
      const args = ['--citeproc', '--csl', 'apa.csl', '--wrap', 'none', '-t', 'plain', '--bibliography', 'all.json'];
      const printed = (await runProgram('pandoc', [...args, 'all.md'], folder))
        .split(/\n\n+/)
        .map((line) => line.trim());
      // Without an author, the style begins with the title. It adds numbers and the day of access, which ours omits.
      const toComparable = (line: string): string =>
        line.replace(/\((?:No\. )?(?:JDP|nmdc):[^;)]+(?:\)|; )/, (part) => (part.endsWith(')') ? '' : '('));
      const named = (lines: readonly string[]): readonly string[] =>
        lines
          .map((line) => toComparable(line).replace('Retrieved November 22, 2026, from ', '').replace(/ +/g, ' '))
          .sort();
      const expected = citations.map(formatApa).map((line) => line.replace(/ JDP:\w+\.$/, ''));
      const isNamed = (line: string): boolean => line !== '' && !line.startsWith('s3-1');
      assert.deepEqual(named(printed.filter(isNamed)), named(expected.filter(isNamed)));
    });

    it('bib2xml reads all facts', async () => {
      // Of a type that bibutils doesn't know, it reads no editors.
      const text = writeCitations('bibtex', citations, texts).replaceAll('@dataset', '@misc');
      await writeFile(join(folder, 'misc.bib'), text);
      const xml = await runProgram('bib2xml', ['-i', 'utf8', '-nt', 'misc.bib'], folder);
      checkFacts(readMods(xml), 'bib2xml', { toDate: (date) => date.slice(0, 4), toName: toWords });
    });

    it('ris2xml reads all facts', async () => {
      // It divides names at their blanks, unless a file lists them as those of organizations.
      const groups = works
        .flatMap(({ authors, editors }) => [...authors, ...editors])
        .filter(isGroup)
        .map(omitCommas);
      await writeFile(join(folder, 'groups.txt'), `${groups.join('\n')}\n`);
      const xml = await runProgram('ris2xml', ['-i', 'utf8', '-nt', '-as', 'groups.txt', 'all.ris'], folder);
      checkFacts(readMods(xml), 'ris2xml', { toName: (name) => toWords(isGroup(name) ? omitCommas(name) : name) });
    });

    it('biber reads all facts and finds no fault with the data model', async () => {
      const args = ['--tool', '--validate-datamodel', '--output-format=bibtex', '--output-encoding=UTF-8'];
      const log = await runProgram('biber', [...args, '-O', 'biber.bib', 'all.bib'], folder);
      assert.doesNotMatch(log, /WARN|ERROR/);
      const text = await readFile(join(folder, 'biber.bib'), 'utf8');
      const listed = [...text.matchAll(/^ {2}EDITOR = \{(.*)\},$/gm)].map(([, names = '']) => names);
      const editors = works.map((work) => work.editors.join(' and ')).filter(Boolean);
      assert.deepEqual(
        listed.map((names) => names.replaceAll(/\\textrm|[{}]/g, '')),
        editors,
      );
      const read = parseWithBiblatexConverter(text);
      for (const [index, { authors, issued, doi, notes }] of read.entries()) {
        const work = works[index] ?? assert.fail();
        assert.deepEqual([authors, issued, doi], [work.authors, work.issued, work.doi]);
        for (const license of work.licenses) assert.ok(notes.includes(license), notes);
      }
    });

    for (const program of ['bibtex', 'bibtexu']) {
      for (const style of ['plain', 'abbrv', 'alpha', 'unsrt']) {
        it(`${program} and pdflatex print the names and years in the style ${style}`, async () => {
          const job = `${program}-${style}`;
          await writeFile(join(folder, `${job}.tex`), createDocument(style));
          const latex = ['-interaction=nonstopmode', '-halt-on-error', job];
          await runProgram('pdflatex', latex, folder);
          await runProgram(program, [job], folder);
          new TextDecoder('utf-8', { fatal: true }).decode(await readFile(join(folder, `${job}.bbl`)));
          await runProgram('pdflatex', latex, folder);
          const printed = (await runProgram('pdftotext', ['-enc', 'UTF-8', `${job}.pdf`, '-'], folder)).normalize(
            'NFKC',
          );
          const text = printed.replaceAll(/-\n/g, '-').replaceAll(/\s+/g, ' ');
          for (const { authors } of works)
            for (const name of authors) assert.ok(text.includes(formatPrinted(name, style)), `${name}: ${text}`);
          assert.ok(works.every(({ issued = '' }) => text.includes(issued.slice(0, 4))));
        });
      }
    }
  });
