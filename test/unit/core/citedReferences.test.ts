import assert from 'node:assert/strict';
import { formatApa, writeApa, writeCitations } from '../../../src/core/citations/citationFormats.ts';
import { listNotes, type Citation } from '../../../src/core/citations/citation.ts';
import { listCitations, type CitableFile } from '../../../src/core/citations/citableUnits.ts';
import { readLicenses } from '../../../src/core/citations/creditText.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';

const texts = { message: 'Please cite these data.', title: 'Data sets', unknownAuthor: 'anonymous' };

function toFile(credit: JsonObject, fields: JsonObject = {}): CitableFile {
  return { name: 'reads.fastq', resource: { id: '1', credit, ...fields } };
}

function cite(...credits: readonly JsonObject[]): Citation {
  const [citation, ...more] = listCitations(credits.map((credit) => toFile(credit)));
  assert.ok(citation);
  assert.deepEqual(more, []);
  return citation;
}

describe('Licenses of a work', () => {
  for (const [license, name] of [
    ...[
      'ODbL-1.0',
      'ODC-By-1.0',
      'PDDL-1.0',
      'MIT',
      'Apache-2.0',
      'BSD-2-Clause',
      'BSD-3-Clause',
      'ISC',
      'Unlicense',
    ].map((id) => [id.toUpperCase(), id] as const),
    ...['GPL-2.0-only', 'GPL-2.0-or-later', 'GPL-3.0-only', 'GPL-3.0-or-later', 'LGPL-3.0-only'].map(
      (id) => [id.toLowerCase(), id] as const,
    ),
    ...['LGPL-3.0-or-later', 'AGPL-3.0-only', 'AGPL-3.0-or-later', 'MPL-2.0', 'EUPL-1.2', 'OGL-UK-3.0'].map(
      (id) => [id.replaceAll('-', ' '), id] as const,
    ),
    ...[
      ['https://www.spdx.org/licenses/CDLA-Permissive-1.0.json', 'CDLA-Permissive-1.0'],
      ['http://spdx.org/licenses/mit', 'MIT'],
    ],
    ...[
      ['CC BY-ND 2.5', 'CC-BY-ND-2.5'],
      ['ccby 4.0', 'CC-BY-4.0'],
      ['cc by v3.0', 'CC-BY-3.0'],
      ['CC-BY-NC-4.0', 'CC-BY-NC-4.0'],
    ],
    ...[
      ['CC 0', 'CC0-1.0'],
      ['cc0 1.0', 'CC0-1.0'],
      ['CC0-v1.0', 'CC0-1.0'],
      ['CCx0', 'CCx0'],
      ['CC0 2.0', 'CC0 2.0'],
    ],
    ...[
      ['CC BY 4.0 or later', 'CC BY 4.0 or later'],
      ['not CC BY 4.0', 'not CC BY 4.0'],
      ['CC BY 5.0', 'CC BY 5.0'],
    ],
    ['http://www.creativecommons.org/licenses/by-nc-nd/2.5/', 'CC-BY-NC-ND-2.5'],
  ] as readonly (readonly [string, string])[]) {
    it(`have the name ${name} for ${license}`, () => {
      const [read] = readLicenses({ license });
      assert.deepEqual([read?.name, read?.isSpdx], [name, name !== license || /^[A-Z]+-|^MIT$|^ISC$/.test(name)]);
    });
  }

  it('are read from every field, each once', () => {
    const licenses = [{ name: 'MIT' }, { title: 'Terms', path: 'https://a.org/terms' }, { path: 'https://b.org/' }];
    const resource = {
      licenses,
      licence: { id: 'mit' },
      credit: { license: { name: 'Other', url: 'https://c.org/' } },
    };
    assert.deepEqual(readLicenses(resource), [
      { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html', isSpdx: true },
      { name: 'Terms', url: 'https://a.org/terms', isSpdx: false },
      { name: 'https://b.org/', url: 'https://b.org/', isSpdx: false },
      { name: 'Other', url: 'https://c.org/', isSpdx: false },
    ]);
  });

  it('are one note if there are several', () => {
    const file = toFile({ license: { name: 'Terms', url: 'https://a.org/' } }, { license: 'Ask us' });
    assert.deepEqual(listCitations([file]).flatMap(listNotes), ['Licenses: Ask us, Terms (https://a.org/)']);
  });

  it('are notes, with an address that is not their name', () => {
    const note = (license: JsonObject): readonly string[] => listNotes(cite({ license, funding: [{ funder: 'DOE' }] }));
    assert.deepEqual(note({ name: 'Terms', url: 'https://a.org/' }), [
      'Funding: DOE',
      'License: Terms (https://a.org/)',
    ]);
    assert.deepEqual(note({ url: 'https://a.org/' }), ['Funding: DOE', 'License: https://a.org/']);
    assert.deepEqual(note({ name: 'Ask us' }), ['Funding: DOE', 'License: Ask us']);
    assert.deepEqual(note({}), ['Funding: DOE']);
  });

  for (const [license, line] of [
    [{ id: 'MIT' }, /^license: "MIT"$/m],
    [{ name: 'Terms', url: 'https://a.org/' }, /^license-url: "https:\/\/a\.org\/"$/m],
    [{ name: 'Ask us' }, /^title: (?![^]*^license)/m],
  ] as const) {
    it(`are written to a CITATION.cff as ${String(line)}`, () => {
      assert.match(writeCitations('cff', [cite({ license })], texts), line);
    });
  }

  it('are a list in a CITATION.cff if there are several', () => {
    const [citation] = listCitations([toFile({ license: 'MIT' }, { license: 'ISC' })]);
    assert.ok(citation);
    assert.match(writeCitations('cff', [citation], texts), /^license:\n {2}- "ISC"\n {2}- "MIT"\n/m);
  });
});

describe('Identifiers in a CITATION.cff', () => {
  it('are a DOI only with the characters that the format allows', () => {
    const write = (identifier: string): string => writeCitations('cff', [cite({ identifier })], texts);
    assert.match(write('10.1234/a-b_(1)'), /^doi: "10\.1234\/a-b_\(1\)"$/m);
    assert.match(write('10.1234/a<b>'), /^identifiers:\n {2}- type: "other"\n {4}value: "doi:10\.1234\/a<b>"\n/m);
    assert.match(write('JDP:1'), /^identifiers:\n {2}- type: "other"\n {4}value: "JDP:1"\n/m);
  });

  it('follow the date of release, if that is a day', () => {
    const write = (date: string): string =>
      writeCitations('cff', [cite({ dates: [{ event: 'Issued', date }] })], texts);
    assert.match(write('2021-05-06'), /^date-released: "2021-05-06"$/m);
    assert.doesNotMatch(write('2021-05'), /date-released/);
  });
});

describe('A reference in APA style', () => {
  const titles = [{ title: 'Which soil?' }];
  const people = (...names: readonly string[]): readonly JsonObject[] =>
    names.map((name) => ({ name, contributor_type: 'Person' }));

  for (const [credit, text] of [
    [{ titles, contributors: people('Doe, Jane') }, 'Doe, J. (n.d.). Which soil? [Data set].'],
    [
      { titles, contributors: people('Doe, Jane', 'Roe, rick') },
      'Doe, J., & Roe, rick. (n.d.). Which soil? [Data set].',
    ],
    [{ titles, contributors: [{ family_name: 'Doe' }] }, 'Doe. (n.d.). Which soil? [Data set].'],
    [{ titles, publisher: { organization_name: 'Who?' } }, 'Who? (n.d.). Which soil? [Data set].'],
    [{ titles, identifier: 'JDP:1' }, 'Which soil? [Data set]. (n.d.). JDP:1.'],
    [{ titles, identifier: 'JDP:1', url: 'https://a.org/x' }, 'Which soil? [Data set]. (n.d.). https://a.org/x'],
    [
      { titles, identifier: '10.1234/a', url: 'https://a.org/x' },
      'Which soil? [Data set]. (n.d.). https://doi.org/10.1234/a',
    ],
    [
      { titles, contributors: people('JGI'), publisher: { organization_name: 'JGI' }, version: 'v1' },
      'JGI. (n.d.). Which soil? (Version v1) [Data set].',
    ],
  ] as const) {
    it(`is: ${text}`, () => {
      assert.equal(formatApa(cite(credit)), text);
    });
  }

  it('names all of twenty authors', () => {
    const contributors = Array.from({ length: 20 }, (_, index) => ({ name: `Team ${index}` }));
    assert.match(formatApa(cite({ titles, contributors })), /Team 17, Team 18, & Team 19\. \(n\.d\.\)/);
  });

  it('is a paragraph', () => {
    const citation = cite({ titles });
    assert.equal(
      writeApa([citation, citation]),
      'Which soil? [Data set]. (n.d.).\n\nWhich soil? [Data set]. (n.d.).\n',
    );
  });
});
