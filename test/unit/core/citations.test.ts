import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  citationFileNames,
  citationFormats,
  formatApa,
  writeCitations,
} from '../../../src/core/citations/citationFormats.ts';
import type { Citation } from '../../../src/core/citations/citation.ts';
import { listCitations, type CitableFile } from '../../../src/core/citations/citableUnits.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';
import { parseWithBiblatexConverter, parseWithCitationJs } from '../../support/citationOracles.ts';

const root = join(import.meta.dirname, '..', '..');
const texts = { message: 'Please cite these data.', title: 'Data sets', unknownAuthor: 'anonymous' };

function toFile(credit: unknown, rest: Partial<CitableFile> & { readonly fields?: JsonObject } = {}): CitableFile {
  const { fields = {}, ...file } = rest;
  return { name: 'reads.fastq', ...file, resource: { id: '1', ...(credit !== undefined && { credit }), ...fields } };
}

const person = (family: string, given: string, roles = 'PI'): JsonObject => ({
  contributor_type: 'Person',
  family_name: family,
  given_name: given,
  contributor_roles: roles,
});

describe('Citations of recorded resources', () => {
  let files: readonly CitableFile[] = [];
  before(async () => {
    const text = await readFile(join(root, 'support', 'realResources.json'), 'utf8');
    const resources = JSON.parse(text) as Readonly<Record<string, JsonObject>>;
    files = Object.entries(resources).map(([name, resource]) => ({ name, database: 'Recorded', resource }));
  });

  for (const format of citationFormats) {
    it(`are written as in test/fixtures/citations/${citationFileNames[format]}`, async () => {
      const golden = await readFile(join(root, 'fixtures', 'citations', citationFileNames[format]), 'utf8');
      assert.equal(writeCitations(format, listCitations(files, '2026-11-20'), texts), golden);
    });
  }

  it('are read back from the recorded BibTeX and RIS with their DOIs', () => {
    const all = listCitations(files);
    const dois = all.map(({ doi }) => doi);
    assert.deepEqual(
      parseWithCitationJs(writeCitations('ris', all, texts)).map(({ doi }) => doi),
      dois,
    );
    assert.deepEqual(
      parseWithBiblatexConverter(writeCitations('bibtex', all, texts)).map(({ doi }) => doi),
      dois,
    );
  });
});

describe('Citable units', () => {
  const credit = {
    titles: [{ title: 'Soil' }],
    publisher: { organization_name: 'JGI' },
    contributors: [person('Doe', 'J')],
  };

  it('join files with the same publisher, titles, contributors and version', () => {
    const others = [{ titles: [{ title: 'Water' }] }, { version: '2' }, { publisher: { organization_name: 'NMDC' } }];
    const contributed = { contributors: [person('Roe', 'R')] };
    const all = [credit, credit, ...[...others, contributed].map((change) => ({ ...credit, ...change }))];
    assert.deepEqual(
      listCitations(all.map((one) => toFile(one))).map(({ fileCount }) => fileCount),
      [2, 1, 1, 1, 1],
    );
  });

  it('join files with the same DOI, in any letter case, whatever else they state', () => {
    const identified = (id: string, change: object): CitableFile =>
      toFile({ ...credit, ...change, related_identifiers: [{ id, description: 'Dataset DOI' }] });
    const all = [
      identified('doi:10.1234/ABC', { version: '1', dates: [{ event: 'Created', date: '2020-01-01' }] }),
      identified('https://doi.org/10.1234/abc', {
        titles: [{ title: 'Soils' }],
        contributors: [person('Roe', 'R'), person('Doe', 'J', 'ContactPerson')],
        dates: [{ event: 'Created', date: '2021-01-01' }],
      }),
    ];
    const [citation, ...more] = listCitations(all);
    assert.ok(citation);
    assert.equal(more.length, 0);
    assert.deepEqual(
      citation.authors.map(({ family }) => family),
      ['Doe', 'Roe'],
    );
    assert.deepEqual(citation.contributors, []);
    assert.deepEqual([citation.doi, citation.title, citation.otherTitles], ['10.1234/ABC', 'Soil', ['Soils']]);
    assert.deepEqual([citation.issued, citation.version], ['2021-01-01', '1']);
  });

  it('join files with the same title in any order, and not with files whose DOI is that title', () => {
    const title = '10.1234/soil';
    const versions = ['1', '2', '1', '2', '3', '1'].map((version) => toFile({ titles: [{ title }], version }));
    const all = [toFile({ identifier: title }), ...versions, toFile({ identifier: title.toUpperCase() })];
    assert.deepEqual(
      listCitations(all).map(({ doi, version, fileCount }) => [doi, version, fileCount]),
      [
        [title, undefined, 2],
        [undefined, '1', 3],
        [undefined, '2', 2],
        [undefined, '3', 1],
      ],
    );
  });

  it('omit the identifier and the address if they differ between the files', () => {
    const all = [1, 2].map((id) => toFile({ ...credit, identifier: `JDP:${id}`, url: `https://example.org/${id}` }));
    assert.deepEqual(
      listCitations(all).map(({ identifier, url }) => [identifier, url]),
      [[undefined, undefined]],
    );
    assert.equal(listCitations(all.slice(0, 1))[0]?.identifier, 'JDP:1');
  });

  it('describe files without a title by their names and database, one unit per database', () => {
    const toNameless = (database: string, index: number) => toFile(undefined, { database, name: `f${index}.txt` });
    const nameless = ['A', 'A', 'A', 'B'].map(toNameless);
    assert.deepEqual(
      listCitations(nameless).map(({ title }) => title),
      ['f0.txt and 2 more files (A)', 'f3.txt (B)'],
    );
  });

  it('are one for the files of a folder whose only titles are their names', () => {
    const files = ['a.csv', 'b.csv', 'c.csv'].map((name): CitableFile => {
      return toFile(undefined, { name, database: 'Lake', fields: { path: `2024/${name}`, title: name } });
    });
    assert.deepEqual(
      listCitations(files).map(({ title, fileCount }) => [title, fileCount]),
      [['a.csv and 2 more files (Lake)', 3]],
    );
    const credited = toFile({ identifier: 'doi:10.1/a' }, { name: 'a.csv', fields: { path: 'a.csv', title: 'a.csv' } });
    assert.deepEqual(
      listCitations([credited]).map(({ title }) => title),
      ['a.csv'],
    );
  });

  it('have unique keys of ASCII letters and digits', () => {
    const all = ['1', '2', '3'].map((version) =>
      toFile({ ...credit, version, contributors: [person('Müller-Łu', 'J')] }),
    );
    const unnamed = [toFile({ titles: [{ title: '日本' }] })];
    const keys = listCitations([...all, ...unnamed]).map(({ key }) => key);
    assert.deepEqual(keys, ['mullerusoil', 'mullerusoil-2', 'mullerusoil-3', 'dataset']);
  });
});

describe('Files of a data package', () => {
  const about = {
    title: 'Tides',
    id: 'https://doi.org/10.1234/tides',
    version: '1.2',
    created: '2024-05-06T07:08:09Z',
  };
  const fields = { contributors: [{ title: 'Sea Lab' }], licenses: [{ name: 'CC0-1.0' }] };
  const toFiles = (described: JsonObject): readonly CitableFile[] =>
    ['north', 'south'].map((name) => ({
      name: `${name}.csv`,
      resource: { id: name, title: name, description: `The ${name}`, ...fields, package: described },
    }));

  it('are one citation of the package: its title, version, date, DOI, authors and licenses', () => {
    const [citation, ...more] = listCitations(toFiles({ ...about, homepage: 'https://example.org/tides' }));
    assert.ok(citation);
    assert.equal(more.length, 0);
    const { title, otherTitles, version, issued, doi, url, abstract, fileCount, key } = citation;
    assert.deepEqual([title, otherTitles, version, issued], ['Tides', [], '1.2', '2024-05-06']);
    assert.deepEqual([doi, url, abstract], ['10.1234/tides', 'https://example.org/tides', undefined]);
    assert.deepEqual([fileCount, key], [2, 'sealab2024tides']);
    assert.deepEqual(
      citation.licenses.map(({ name }) => name),
      ['CC0-1.0'],
    );
  });

  it('are one citation of a package without a DOI, by its title or its name', () => {
    for (const [described, title] of [
      [{ title: 'Tides', id: '1f3e' }, 'Tides'],
      [{ name: 'tides', version: '2' }, 'tides'],
    ] as const) {
      const citations = listCitations(toFiles(described));
      assert.deepEqual(
        citations.map((citation) => [citation.title, citation.fileCount]),
        [[title, 2]],
      );
    }
  });

  it('are cited by the DOI of a package whose id is another identifier', () => {
    const [citation] = listCitations(toFiles({ ...about, id: '1f3e', doi: '10.1234/tides' }));
    assert.equal(citation?.doi, '10.1234/tides');
  });

  it('are cited by their own credit, if they have any', () => {
    const [citation] = listCitations([toFile({ titles: [{ title: 'Own' }] }, { fields: { package: about } })]);
    assert.deepEqual([citation?.title, citation?.doi], ['Own', undefined]);
  });
});

describe('Credit', () => {
  const cite = (credit: unknown, fields: JsonObject = {}): Citation => {
    const [citation] = listCitations([toFile(credit, { fields })]);
    assert.ok(citation);
    return citation;
  };

  for (const credit of [undefined, null, 'text', [], {}, { titles: null, contributors: [null, 'x', {}], dates: 'x' }]) {
    it(`of ${credit === undefined ? 'no value' : JSON.stringify(credit)} leads to a citation by the file name`, () => {
      const citation = cite(credit);
      assert.equal(formatApa(citation), 'reads.fastq [Data set]. (n.d.).');
    });
  }

  it('is treated as absent if every field is empty', () => {
    const empty = { name: ',', given_name: '', family_name: ' ', contributor_roles: 'PI' };
    const citation = cite({
      titles: [{ title: '' }],
      contributors: [empty],
      publisher: { organization_name: '' },
      version: '',
      url: '',
      dates: [{ event: 'Created', date: '' }],
      related_identifiers: [{ id: '', description: 'Dataset DOI' }],
    });
    assert.deepEqual([citation.title, citation.authors, citation.doi], ['reads.fastq', [], undefined]);
  });

  it('lists editors and contributors with supporting roles apart from the authors', () => {
    const citation = cite({
      contributors: [
        person('Doe', 'Jane', 'Principal Investigator,DataCite:ContactPerson'),
        person('Roe', 'Rick', 'DataCite:Contact Person'),
        person('Poe', 'Ed', 'DataCite:Editor'),
        person('Moe', 'Eva', 'Editor,Data curation'),
        { name: 'DOE', contributor_type: 'Organization', contributor_roles: 'Sponsor,Funder' },
        { name: 'Wrighton, Kelly', contributor_type: 'Person' },
        { name: 'Smith, Sons', contributor_type: 'Organization' },
        { name: '李小龙', contributor_type: 'Person', contributor_id: 'orcid:0000-0002-1825-0097' },
      ],
    });
    assert.deepEqual(citation.authors, [
      { family: 'Doe', given: 'Jane' },
      { family: 'Moe', given: 'Eva' },
      { family: 'Wrighton', given: 'Kelly' },
      { literal: 'Smith, Sons' },
      { literal: '李小龙', orcid: '0000-0002-1825-0097' },
    ]);
    assert.deepEqual(citation.editors, [{ family: 'Poe', given: 'Ed' }]);
    assert.deepEqual(citation.contributors, [
      { name: { family: 'Roe', given: 'Rick' }, role: 'Contact person' },
      { name: { literal: 'DOE' }, role: 'Sponsor' },
    ]);
  });

  it('is read from the fields of a data package resource', () => {
    const contributors = [
      { title: 'Josiah Carberry', role: 'author', organization: 'Brown' },
      { title: 'X', role: 'publisher' },
    ];
    const citation = cite(undefined, {
      title: 'Tides',
      version: 2,
      contributors,
      licenses: [{ name: 'ODC-PDDL-1.0' }],
    });
    assert.deepEqual(citation.authors, [{ literal: 'Josiah Carberry', affiliation: 'Brown' }]);
    assert.deepEqual([citation.title, citation.version, citation.publisher], ['Tides', '2', 'X']);
    assert.equal(citation.licenses[0]?.name, 'PDDL-1.0');
  });

  it('is read from the contributors of version 2 of the data package standard', () => {
    const contributors = [
      { givenName: 'Ada', familyName: 'Quill', path: 'https://orcid.org/0000-0002-1825-0097', roles: ['creator'] },
      { title: 'Ben Reed', roles: ['editor'] },
      { organization: 'Sea Lab', roles: ['publisher'] },
      { title: 'Cy Ink', roles: ['dataManager'] },
    ];
    const citation = cite(undefined, { title: 'Tides', contributors });
    assert.deepEqual(citation.authors, [{ family: 'Quill', given: 'Ada', orcid: '0000-0002-1825-0097' }]);
    assert.deepEqual([citation.editors, citation.publisher], [[{ literal: 'Ben Reed' }], 'Sea Lab']);
    assert.deepEqual(citation.contributors, [{ name: { literal: 'Cy Ink' }, role: 'Data manager' }]);
  });

  for (const [dates, issued] of [
    [
      [
        { event: 'Updated', date: '2023-01-01' },
        { event: 'Issued', date: '2021-08-26' },
      ],
      '2021-08-26',
    ],
    [[{ event: 'Created', date: '2021-02-31' }], '2021-02'],
    [
      [
        { event: 'created', date: '2021-13-01' },
        { event: 'Created', date: '2020' },
      ],
      '2021',
    ],
    [[{ event: 'Created', date: '2021-09-14T18:12:55.123000' }], '2021-09-14'],
    [
      [
        { event: 'Created', date: '0000-00-00' },
        { event: 'Collected', date: '2020-01-01' },
      ],
      undefined,
    ],
  ] as const) {
    it(`with the dates ${JSON.stringify(dates)} is issued ${issued ?? 'at no known time'}`, () => {
      assert.equal(cite({ dates }).issued, issued);
    });
  }

  it('with two DOIs is cited by that of its identifier, and includes the other one', () => {
    const related = { id: '10.1234/other', description: 'Proposal DOI', relationship_type: 'IsCitedBy' };
    const citation = cite({
      identifier: 'doi:10.1234/own',
      related_identifiers: [related],
      funding: [{ funder: 'DOE' }],
    });
    assert.equal(citation.doi, '10.1234/own');
    assert.deepEqual(citation.notes, ['Funding: DOE', 'Proposal DOI: 10.1234/other']);
  });

  it('keeps only web addresses, without user names', () => {
    const addresses = ['ftp://a.org/x', 'https://user:key@a.org/x', 'javascript:alert(1)', 'https://a.org/{x} y'];
    assert.deepEqual(
      addresses.map((url) => cite({ url }).url),
      [undefined, undefined, undefined, 'https://a.org/%7Bx%7D%20y'],
    );
  });
});

describe('APA style', () => {
  const apa = (credit: object): string =>
    listCitations([toFile(credit)])
      .map(formatApa)
      .join('');
  const titles = [{ title: 'Soil' }];

  it('abbreviates given names, and joins the last author with "&"', () => {
    const contributors = [person('Doe', 'Jean-Luc Q.'), person('Roe', 'Å.B.'), { name: 'The Team' }];
    const dates = [{ event: 'Issued', date: '2021-05' }];
    assert.equal(
      apa({ titles, contributors, dates, version: '2', publisher: { organization_name: 'JGI' } }),
      'Doe, J.-L. Q., Roe, Å. B., & The Team. (2021). Soil (Version 2) [Data set]. JGI.',
    );
  });

  it('lists the first 19 and the last of more than 20 authors', () => {
    const contributors = Array.from({ length: 25 }, (_, index) => ({ name: `Team ${index}` }));
    assert.match(apa({ titles, contributors }), /Team 18, … Team 24\. \(n\.d\.\)\. Soil/);
  });

  it('starts with the editors if there is no author', () => {
    const editors = [person('Poe', 'Ed', 'Editor'), person('Roe', 'R', 'Editor')];
    const publisher = { organization_name: 'JGI' };
    assert.equal(
      apa({ titles, publisher, contributors: editors }),
      'Poe, E., & Roe, R. (Eds.). (n.d.). Soil [Data set]. JGI.',
    );
    assert.equal(
      apa({ titles, publisher, contributors: editors.slice(1) }),
      'Roe, R. (Ed.). (n.d.). Soil [Data set]. JGI.',
    );
  });

  it('names editors beside the authors after the title', () => {
    const contributors = [person('Doe', 'J'), person('Poe', 'Ed', 'Editor'), person('Roe', 'R', 'Editor')];
    assert.equal(
      apa({ titles, contributors, version: '2' }),
      'Doe, J. (n.d.). Soil (E. Poe & R. Roe, Eds.; Version 2) [Data set].',
    );
  });

  it('starts with the publisher if there is no author', () => {
    assert.equal(apa({ titles, publisher: { organization_name: 'JGI' } }), 'JGI. (n.d.). Soil [Data set].');
  });
});
