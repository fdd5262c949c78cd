import assert from 'node:assert/strict';
import { listCitations, type CitableFile } from '../../../src/core/citations/citableUnits.ts';
import { writeCitations } from '../../../src/core/citations/citationFormats.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';
import { checkCitationFile } from '../../support/citationFileRules.ts';

const texts = { message: 'Please cite these data.', title: 'Data sets', unknownAuthor: 'anonymous' };

function toFile(credit: JsonObject | undefined, database?: string): CitableFile {
  return { name: 'reads.fastq', ...(database && { database }), resource: { id: '1', ...(credit && { credit }) } };
}

const person = (family: string, given: string, roles = 'PI'): JsonObject => ({
  contributor_type: 'Person',
  family_name: family,
  given_name: given,
  contributor_roles: roles,
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

describe('The day of a transfer', () => {
  const write = (format: 'bibtex' | 'ris', credit: JsonObject): string =>
    writeCitations(format, listCitations([toFile({ titles: [{ title: 'Soil' }], ...credit })], '2026-11-22'), texts);
  const url = 'https://example.org/';

  it('is written only with the address that was visited', () => {
    assert.doesNotMatch(write('bibtex', {}), /urldate/);
    assert.doesNotMatch(write('ris', {}), /^Y2/m);
    assert.match(write('bibtex', { url }), /^ {2}urldate = \{2026-11-22\},$/m);
    assert.match(write('ris', { url }), /^Y2 {2}- 2026\/11\/22\/\r$/m);
  });

  it('is not written to RIS beside a year alone, with which bibutils joins it', () => {
    assert.doesNotMatch(write('ris', { url, dates: [{ event: 'Issued', date: '2020' }] }), /^Y2/m);
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
    ['Nuñez', 'Óscar', "Nu{\\~n}ez, {\\'O}scar"],
    ['Wójcik', 'Łukasz Žan-Élie', "W{\\'o}jcik, {\\L}ukasz {\\v{Z}}an-{\\'E}lie"],
    ['Ångström', 'Þór', '{\\AA}ngström, {\\textrm{Þ}}ór'],
    ['Ế', 'Иван', 'Ế, {\\textrm{И}}ван'],
  ] as const) {
    it(`are ${author} for the given name ${given} and the family name ${family}`, () => {
      const all = listCitations([toFile({ contributors: [person(family, given)] })]);
      assert.ok(writeCitations('bibtex', all, texts).includes(`\n  author = {${author}},\n`));
    });
  }
});

describe('Organizations in RIS', () => {
  it('have no comma, at which readers would divide them', () => {
    const contributors = [
      { name: 'University of Foo, Department of Bar', contributor_type: 'Organization' },
      { name: 'Press, Inc.', contributor_type: 'Organization', contributor_roles: 'Editor' },
      person('Doe', 'Jane'),
    ];
    const lines = writeCitations('ris', listCitations([toFile({ contributors })]), texts).split('\r\n');
    assert.deepEqual(
      lines.filter((line) => /^(?:AU|ED)/.test(line)),
      ['AU  - University of Foo Department of Bar', 'AU  - Doe, Jane', 'ED  - Press Inc.'],
    );
  });
});

describe('A CITATION.cff of one work', () => {
  const write = (credit: JsonObject): string =>
    writeCitations('cff', listCitations([toFile({ titles: [{ title: 'Soil' }], ...credit })]), texts);

  it('has editors and a date without a day in its preferred citation, and no publisher as the author', () => {
    const text = write({
      contributors: [person('Poe', 'Ed', 'Editor')],
      publisher: { organization_name: 'JGI' },
      dates: [{ event: 'Issued', date: '2021-05' }],
    });
    assert.deepEqual(checkCitationFile(text).errors, []);
    assert.match(text, /^authors:\n {2}- name: "anonymous"$/m);
    assert.match(text, /^preferred-citation:\n {2}type: "data"\n[^]*^ {2}editors:\n {4}- family-names: "Poe"$/m);
    assert.match(text, /^ {2}year: 2021\n {2}month: 5$/m);
  });

  it('names a license that is newer than the format by its address', () => {
    for (const [id, line] of [
      ['CC-BY-3.0-US', 'license: "CC-BY-3.0-US"'],
      ['CC-BY-3.0-DE', 'license-url: "https://spdx.org/licenses/CC-BY-3.0-DE.html"'],
      ['0BSD', 'license-url: "https://spdx.org/licenses/0BSD.html"'],
    ] as const) {
      const text = write({ contributors: [person('Doe', 'J')], license: id });
      assert.deepEqual(checkCitationFile(text).errors, []);
      assert.ok(text.includes(`\n${line}\n`), text);
    }
  });
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
