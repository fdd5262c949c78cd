import assert from 'node:assert/strict';
import { listCitations, type CitableFile } from '../../../src/core/citations/citableUnits.ts';
import { writeCitations } from '../../../src/core/citations/citationFormats.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';

const texts = { message: 'Please cite these data.', title: 'Data sets', unknownAuthor: 'anonymous' };

function toFile(credit: JsonObject | undefined, database?: string): CitableFile {
  return { name: 'reads.fastq', ...(database && { database }), resource: { id: '1', ...(credit && { credit }) } };
}

const person = (family: string, given: string, roles = 'PI'): JsonObject => ({
  ...{ contributor_type: 'Person', family_name: family, given_name: given, contributor_roles: roles },
});

describe('Contributors who are not authors', () => {
  const contributors = [
    person('Doe', 'J.A.'),
    person('Poe', 'Ed', 'Editor'),
    { name: 'Energy & Co', contributor_type: 'Organization', contributor_roles: 'Sponsor' },
  ];
  const all = listCitations([toFile({ titles: [{ title: 'Soil' }], contributors })]);
  const sponsor = 'Sponsor: Energy & Co';

  it('are an editor or a note in BibTeX', () => {
    const text = writeCitations('bibtex', all, texts);
    assert.match(text, /^ {2}author = \{Doe, J\. A\.\},\n {2}editor = \{Poe, Ed\},$/m);
    assert.match(text, /^ {2}note = \{Sponsor: Energy \\& Co\},$/m);
  });

  it('are an editor or a note in RIS', () => {
    const lines = writeCitations('ris', all, texts).split('\r\n');
    assert.deepEqual(
      lines.filter((line) => /^(?:A2|ED|N1)/.test(line)),
      ['ED  - Poe, Ed', `N1  - ${sponsor}`],
    );
  });

  it('are an editor or a note in CSL-JSON', () => {
    const [item] = JSON.parse(writeCitations('csl', all, texts)) as readonly [JsonObject];
    assert.deepEqual(item['editor'], [{ family: 'Poe', given: 'Ed' }]);
    assert.deepEqual([item['contributor'], item['note']], [undefined, sponsor]);
  });

  it('are an editor or a note in the references of a CITATION.cff', () => {
    const text = writeCitations('cff', [...all, ...all], texts);
    assert.match(text, /editors:\n {6}- family-names: "Poe"\n {8}given-names: "Ed"/);
    assert.match(text, /notes: "Sponsor: Energy & Co"/);
  });
});

describe('Names in BibTeX', () => {
  for (const [family, given, author] of [
    ['Doe', 'Jane J', 'Doe, Jane J'],
    ['Doe', 'J.A.', 'Doe, J. A.'],
    ["O'Neill", 'Jean-Luc', "O'Neill, Jean-Luc"],
    ['van der Berg', 'Zoë', '{van der Berg}, Zoë'],
    ['Doe', 'Jane and Sons', 'Doe, {Jane and Sons}'],
    ['Doe, Jr', 'Jane', '{Doe, Jr}, Jane'],
    ['Doe', '{J}', 'Doe, {\\textbraceleft{}J\\textbraceright{}}'],
    ['given=x', 'Jane', '{given=x}, Jane'],
  ] as const) {
    it(`are ${author} for the given name ${given} and the family name ${family}`, () => {
      const all = listCitations([toFile({ contributors: [person(family, given)] })]);
      assert.ok(writeCitations('bibtex', all, texts).includes(`\n  author = {${author}},\n`));
    });
  }
});

describe('A CITATION.cff of several works', () => {
  const named = toFile({ titles: [{ title: 'Soil' }], contributors: [person('Doe', 'Jane')] });

  it('names an unknown author only if no author of any work is known', () => {
    const getAuthors = (...files: readonly CitableFile[]): string =>
      writeCitations('cff', listCitations(files), texts).replace(/^[^]*?^authors:\n([^]*?)references:[^]*$/m, '$1');
    const [first, second] = ['A', 'B'].map((database) => toFile(undefined, database));
    assert.ok(first && second);
    assert.equal(getAuthors(first, named), '  - family-names: "Doe"\n    given-names: "Jane"\n');
    assert.equal(getAuthors(first, second), '  - name: "anonymous"\n');
  });
});
