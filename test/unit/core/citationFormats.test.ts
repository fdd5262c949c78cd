import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatSortedName, listNotes, type Citation, type CitedName } from '../../../src/core/citations/citation.ts';
import { listCitations } from '../../../src/core/citations/citableUnits.ts';
import { writeCitations, type CitationFormat } from '../../../src/core/citations/citationFormats.ts';
import { citableFile } from '../../support/citationArbitraries.ts';
import { checkCitationFile } from '../../support/citationFileRules.ts';
import {
  parseWithBiblatexConverter,
  parseWithCitationJs,
  risType,
  type ParsedCitation,
} from '../../support/citationOracles.ts';
import { property } from '../../support/property.ts';

const texts = { message: 'Please cite these data.', title: 'Data', unknownAuthor: 'anonymous' };
const citations = fc
  .array(citableFile, { minLength: 1, maxLength: 3 })
  .map((files) => listCitations(files, '2026-11-22'));

function write(format: CitationFormat, all: readonly Citation[]): string {
  return writeCitations(format, all, texts);
}

function toExpected(citation: Citation): ParsedCitation {
  const { key, title, publisher, issued, version, doi, url, abstract, accessed } = citation;
  return {
    key,
    title,
    publisher,
    issued,
    version,
    doi,
    url,
    abstract,
    accessed,
    authors: citation.authors.map(formatSortedName),
    notes: [...citation.otherTitles, ...listNotes(citation)].join('; '),
  };
}

/** Also expects no day of access without an address. */
const withIdentifier = (citation: Citation): ParsedCitation => {
  const expected = toExpected(citation);
  const accessed = citation.url === undefined ? undefined : expected.accessed;
  return { ...expected, accessed, notes: [citation.identifier, expected.notes].filter(Boolean).join('; ') };
};

describe('Citation formats', () => {
  property('round-trips every field of CSL-JSON through citation-js', citations, (all) => {
    const text = write('csl', all);
    assert.deepEqual(parseWithCitationJs(text), all.map(toExpected));
    const items = JSON.parse(text) as readonly {
      readonly number?: string;
      readonly editor?: readonly CitedName[];
    }[];
    assert.deepEqual(
      items.map((item) => item.number),
      all.map(({ identifier }) => identifier),
    );
    assert.deepEqual(
      items.map((item) => (item.editor ?? []).map(formatSortedName)),
      all.map(({ editors }) => editors.map(formatSortedName)),
    );
  });

  property('round-trips every field of BibTeX through citation-js', citations, (all) => {
    assert.deepEqual(parseWithCitationJs(write('bibtex', all)), all.map(withIdentifier));
  });

  property('round-trips every field of BibTeX through biblatex-csl-converter', citations, (all) => {
    // The library uses these characters internally, and can't read them.
    if (/[\u0870-\u088F]/.test(JSON.stringify(all))) return;
    const parsed = parseWithBiblatexConverter(write('bibtex', all));
    assert.deepEqual(parsed.map(toConverterForm), all.map(withIdentifier).map(toConverterForm));
    const names = all.map(toExpected).flatMap(({ authors }) => authors);
    // The library puts an accent before its letter if it doesn't know them together.
    if (names.some((name) => /[{}^=`îĩīĭĵ\u01E6-\u0233\u1E00-\u1EFF]|''/.test(name))) return;
    assert.deepEqual(
      parsed.flatMap(({ authors }) => authors),
      names,
    );
  });

  property('round-trips every field of RIS through citation-js', citations, (all) => {
    const text = write('ris', all);
    const toRisForm = (citation: ParsedCitation): object => ({
      ...citation,
      key: undefined,
      notes: undefined,
      // If there are editors, the library assumes an earlier RIS version, which lacks these two fields.
      ...(all.some(({ editors }) => editors.length > 0) && { accessed: undefined, abstract: undefined }),
      authors: citation.authors.map(listNameParts),
    });
    const expected = all.map((citation) => {
      const isVisited = citation.url !== undefined && citation.issued?.length !== 4;
      return { ...toExpected(citation), accessed: isVisited ? citation.accessed : undefined };
    });
    assert.deepEqual(parseWithCitationJs(text, risType).map(toRisForm), expected.map(toRisForm));
    const lines = text.split('\r\n');
    assert.ok(lines.every((line) => line === '' || /^[A-Z][A-Z\d] {2}- [^\n\r]*$/u.test(line)));
    const written = (tag: string): readonly string[] =>
      lines.filter((line) => line.startsWith(`${tag}  - `)).map((line) => line.slice(6));
    assert.deepEqual(
      written('T2'),
      all.flatMap(({ otherTitles }) => otherTitles),
    );
    assert.deepEqual(written('N1'), all.flatMap(listNotes));
    assert.deepEqual(
      written('AB'),
      all.flatMap(({ abstract }) => abstract ?? []),
    );
    assert.deepEqual(
      written('AN'),
      all.flatMap(({ identifier }) => identifier ?? []),
    );
    assert.deepEqual(
      written('ED').map(listNameParts),
      all.flatMap(({ editors }) => editors.map(formatSortedName).map(listNameParts)),
    );
  });

  property('writes a valid CITATION.cff that round-trips its fields', citations, (all) => {
    const { content, errors } = checkCitationFile(write('cff', all));
    assert.deepEqual(errors, []);
    const works = all.length === 1 ? [content] : (content as { readonly references: readonly unknown[] }).references;
    assert.deepEqual((works as readonly CitationFileWork[]).map(readWork), all.map(toExpectedWork));
  });

  property('writes each citation as one line of text in APA style', citations, (all) => {
    const lines = write('apa', all).split('\n\n');
    assert.equal(lines.length, all.length);
    for (const [index, { title, doi, publisher }] of all.entries()) {
      const line = lines[index] ?? '';
      assert.ok(line.includes(title) && line.includes('[Data set]'));
      assert.ok(doi === undefined || line.includes(`https://doi.org/${doi}`));
      assert.ok(publisher === undefined || line.includes(publisher));
    }
  });
});

/**
 * Removes the parts that biblatex-csl-converter can't read (abstracts, `^`, braces) and the authors, which are checked
 * separately.
 */
function toConverterForm(citation: ParsedCitation): ParsedCitation {
  const plain = (text: string | undefined): string | undefined => text?.replaceAll(/[{}^]/g, '');
  const { title, publisher, version, notes } = citation;
  return {
    ...citation,
    abstract: undefined,
    notes: plain(notes) ?? '',
    title: plain(title),
    publisher: plain(publisher),
    version: plain(version),
    authors: [],
  };
}

/**
 * Splits a name at its commas and blanks, because RIS can't escape the commas of a person's name, and those of an
 * organization's name are left out. Returns the nonempty parts, sorted.
 */
function listNameParts(name: string): readonly string[] {
  const parts = name.split(/[\s,]+/u);
  return parts.filter((part) => part !== '').sort();
}

interface CitationFileWork {
  readonly title: string;
  readonly version?: string;
  readonly abstract?: string;
  readonly url?: string;
  readonly doi?: string;
  readonly 'date-released'?: string;
  readonly authors: readonly Readonly<Record<string, string>>[];
  readonly identifiers?: readonly { readonly value: string }[];
}

function readWork(work: CitationFileWork): object {
  const { title, version, abstract, url, doi, authors, identifiers = [] } = work;
  const [other] = identifiers.map(({ value }) => value).filter((value) => value.startsWith('doi:'));
  return {
    title,
    version,
    abstract,
    url,
    doi: doi ?? other?.slice('doi:'.length),
    day: work['date-released'],
    authors: authors.map(
      ({ name, ...rest }) => name ?? [rest['family-names'], rest['given-names']].filter(Boolean).join(', '),
    ),
  };
}

function toExpectedWork(citation: Citation): object {
  const { title, version, abstract, url, doi, issued, authors, editors, publisher } = citation;
  const names = new Set(authors.map((author) => JSON.stringify(author)));
  return {
    title,
    version,
    abstract,
    url,
    doi,
    day: issued?.length === 10 ? issued : undefined,
    authors:
      authors.length === 0
        ? [(editors.length === 0 ? publisher : undefined) ?? texts.unknownAuthor]
        : [...names].map((name) => formatSortedName(JSON.parse(name) as CitedName)),
  };
}
