import assert from 'node:assert/strict';
import { listCitations } from '../../../src/core/citations/citableUnits.ts';
import type { Citation } from '../../../src/core/citations/citation.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';
import { readBidsText, readCitationText, readCrateText } from '../../../src/service/catalog/creditFiles.ts';

/** Cites a file of a folder with these fields. */
function cite(fields: JsonObject = {}): Citation | undefined {
  return listCitations([{ name: 'a.csv', resource: { id: 'a.csv', title: 'a.csv', ...fields } }])[0];
}

const orcid = 'https://orcid.org/0000-0002-1825-0097';

function crate(root: JsonObject, ...entities: readonly JsonObject[]): string {
  return JSON.stringify({
    '@context': 'https://w3id.org/ro/crate/1.1/context',
    '@graph': [
      { '@id': 'ro-crate-metadata.json', '@type': 'CreativeWork', about: { '@id': './' } },
      { '@id': './', '@type': 'Dataset', ...root },
      ...entities,
    ],
  });
}

describe('An RO-Crate', () => {
  it('gives the files of its folder its title, people, publisher, date, DOI, version and license', () => {
    const text = crate(
      {
        name: 'Reef survey',
        author: [{ '@id': orcid }, { '@id': '#lab' }],
        editor: { '@id': '#ed' },
        publisher: { '@id': 'https://ror.org/000000000' },
        datePublished: '2024-03-02',
        identifier: { '@id': '#doi' },
        version: '1.1',
        license: { '@id': 'https://creativecommons.org/licenses/by/3.0/de/' },
        description: 'Counts of fish',
        funder: { '@id': '#funder' },
      },
      { '@id': orcid, '@type': 'Person', givenName: 'Ada', familyName: 'Quill', affiliation: { '@id': '#lab' } },
      { '@id': '#lab', '@type': 'Organization', name: 'Sea Lab, North' },
      { '@id': '#ed', '@type': 'Person', name: 'Ink, Cy' },
      { '@id': 'https://ror.org/000000000', '@type': 'Organization', name: 'Reef Archive' },
      { '@id': '#doi', '@type': 'PropertyValue', propertyID: 'DOI', value: 'https://doi.org/10.1234/reef' },
      { '@id': '#funder', '@type': 'Organization', name: 'Reef Fund' },
    );
    const { folder, warnings } = readCrateText(text);
    const citation = cite(folder);
    assert.deepEqual(warnings, []);
    assert.deepEqual(citation?.authors, [
      { family: 'Quill', given: 'Ada', orcid: '0000-0002-1825-0097', affiliation: 'Sea Lab, North' },
      { literal: 'Sea Lab, North' },
    ]);
    assert.deepEqual(citation.editors, [{ family: 'Ink', given: 'Cy' }]);
    const { title, publisher, issued, doi, version, abstract, notes } = citation;
    assert.deepEqual([title, publisher, issued], ['Reef survey', 'Reef Archive', '2024-03-02']);
    assert.deepEqual([doi, version, abstract], ['10.1234/reef', '1.1', 'Counts of fish']);
    assert.deepEqual([citation.licenses.map(({ name }) => name), notes], [['CC-BY-3.0-DE'], ['Funding: Reef Fund']]);
  });

  for (const [what, identifier] of [
    ['text', { identifier: 'doi:10.1234/reef' }],
    ['an address', { identifier: 'https://doi.org/10.1234/reef' }],
    ['a list', { identifier: ['reef-7', '10.1234/reef'] }],
    ['a citation address', { 'cite-as': 'https://doi.org/10.1234/reef' }],
    ['a reference', { identifier: { '@id': 'https://doi.org/10.1234/reef' } }],
  ] as const) {
    it(`has a DOI that is ${what}`, () => {
      assert.equal(cite(readCrateText(crate({ name: 'Reef', ...identifier })).folder)?.doi, '10.1234/reef');
    });
  }

  it('gives single files their own title, description, type and license', () => {
    const text = crate(
      { name: 'Reef', author: 'Sea Lab', license: 'CC0-1.0' },
      { '@id': 'my%20data/a%C3%A9.csv', '@type': 'File', name: 'Counts', encodingFormat: ['text/csv', { '@id': 'x' }] },
      { '@id': './b.csv', '@type': ['File', 'Image'], license: { '@id': 'https://spdx.org/licenses/MIT' } },
      { '@id': 'https://example.org/c.csv', '@type': 'File', name: 'Elsewhere' },
      { '@id': '#d', '@type': 'File', name: 'Nowhere' },
      { '@id': '../e.csv', '@type': 'File', name: 'Outside' },
    );
    const files = new Set(['my data/aé.csv', 'b.csv']);
    const { metadata, folder } = readCrateText(text, { hasFile: (path) => files.has(path) });
    assert.deepEqual(
      [...(metadata ?? [])],
      [
        ['my data/aé.csv', { title: 'Counts', mediatype: 'text/csv' }],
        ['b.csv', { licenses: [{ path: 'https://spdx.org/licenses/MIT' }] }],
      ],
    );
    assert.deepEqual(cite(folder)?.authors, [{ literal: 'Sea Lab' }]);
  });

  it('that credits nobody, such as a list of transferred files, gives no credit', () => {
    const license = { '@id': '#license', '@type': 'CreativeWork', name: 'License of the source' };
    const text = crate(
      { name: 'Files transferred', datePublished: '2026-01-01', license: { '@id': '#license' } },
      license,
    );
    assert.equal(readCrateText(text).folder, undefined);
  });

  it('that gives credit has licenses that are only named', () => {
    const license = { '@id': '#terms', '@type': 'CreativeWork', name: 'Terms of the lab' };
    const text = crate({ name: 'Reef', author: 'Sea Lab', license: { '@id': '#terms' } }, license);
    assert.deepEqual(readCrateText(text).folder?.['licenses'], [{ name: 'Terms of the lab' }]);
  });

  it('of 50,000 files that share a license with a long address is read at once', () => {
    const addresses = Array.from({ length: 50_000 }, (_, index) => `urn:${index}`);
    const license = { '@id': '#terms', '@type': 'CreativeWork', url: addresses };
    const files = addresses.map((_, index) => ({
      '@id': `${index}.csv`,
      '@type': 'File',
      license: { '@id': '#terms' },
    }));
    assert.equal(readCrateText(crate({ name: 'Reef' }, license, ...files)).metadata?.size, 0);
  });

  it('cuts long texts, and reads no more files than it has room for', () => {
    const files = Array.from({ length: 2_200 }, (_, index) => ({
      '@id': `%20${index}.csv`,
      '@type': 'File',
      name: 'x'.repeat(index === 0 ? 100_000 : 32 * 1024),
    }));
    let checked = 0;
    const hasFile = (): boolean => (checked += 1) > 0;
    const { metadata } = readCrateText(crate({ name: 'Reef' }, ...files), { hasFile });
    assert.equal(String(metadata?.get(' 0.csv')?.['title'] ?? metadata?.get('%200.csv')?.['title']).length, 32 * 1024);
    assert.ok(metadata && checked <= metadata.size + 1, `${checked} of ${metadata?.size}`);
  });

  it('with 100,000 references to an author of as many institutes is read at once', () => {
    const references = Array.from({ length: 100_000 }, () => ({ '@id': '#lab' }));
    const ada = { '@id': '#ada', '@type': 'Person', name: 'Ada', affiliation: references };
    const author = references.map(() => ({ '@id': '#ada' }));
    const { warnings } = readCrateText(crate({ name: 'Reef', author }, ada, { '@id': '#lab', name: 'Lab' }));
    assert.deepEqual(warnings, ['its credit is longer than allowed']);
  });

  for (const [text, warning] of [
    ['{"@graph": [\n', 'it is not a JSON object (line 2, column 1)'],
    ['[]', 'it is not a JSON object'],
    ['{}', 'it has no list @graph'],
    ['{"@graph": [5, null, {"@id": 7}]}', 'it does not describe a root dataset'],
  ] as const) {
    it(`is not read, and named, if it is ${JSON.stringify(text)}`, () => {
      assert.deepEqual(readCrateText(text), { warnings: [warning] });
    });
  }

  it('of 100,000 files is read in bounded memory', () => {
    const files = Array.from({ length: 100_000 }, (_, index) => ({
      '@id': `${index}.csv`,
      '@type': 'File',
      name: 'x'.repeat(1_000),
    }));
    const { metadata, warnings } = readCrateText(crate({ name: 'Reef', author: 'Lab' }, ...files));
    assert.ok(metadata && metadata.size > 50_000 && metadata.size < 100_000);
    assert.deepEqual(warnings, ['it has more metadata than allowed']);
  });
});

describe('A CITATION.cff', () => {
  const start = 'cff-version: 1.2.0\nmessage: Cite\ntitle: Reef survey\n';

  it('gives the files of its folder its title, people, version, date, DOI and license', () => {
    const text = `\uFEFF${start}authors:
  - given-names: Ada
    family-names: Ruyter
    name-particle: de
    orcid: ${orcid}
    affiliation: Sea Lab
  - name: Sea Lab, North
version: 1.10
date-released: 2024-03-02
identifiers:
  - type: url
    value: https://example.org
  - type: doi
    value: 10.1234/reef
license: [CC-BY-4.0, MIT]
url: https://example.org/reef
abstract: >
  Counts
  of fish
`;
    const { folder, warnings } = readCitationText(text);
    const citation = cite(folder);
    assert.deepEqual(warnings, []);
    assert.deepEqual(citation?.authors, [
      { family: 'de Ruyter', given: 'Ada', orcid: '0000-0002-1825-0097', affiliation: 'Sea Lab' },
      { literal: 'Sea Lab, North' },
    ]);
    const { title, version, issued, doi, url, abstract, licenses } = citation;
    assert.deepEqual([title, version, issued, doi], ['Reef survey', '1.10', '2024-03-02', '10.1234/reef']);
    assert.deepEqual([url, abstract], ['https://example.org/reef', 'Counts of fish']);
    assert.deepEqual(
      licenses.map(({ name }) => name),
      ['CC-BY-4.0', 'MIT'],
    );
  });

  it('has no values where it says null or ~', () => {
    const authors = 'authors:\n  - family-names: Quill\n    given-names: ~\n    affiliation: null\n';
    const text = `${start}${authors}version: "null"\ndoi: ~\nlicense: null\nabstract: null\n`;
    const { folder } = readCitationText(text);
    const { authors: people, version, doi, abstract } = cite(folder) ?? {};
    assert.deepEqual([people, version, doi, abstract], [[{ family: 'Quill' }], 'null', undefined, undefined]);
    assert.equal(folder?.['licenses'], undefined);
    assert.deepEqual(readCitationText(`title: ~\n${authors}`).warnings, ['it has no title or no authors']);
  });

  it('is cited by its preferred citation if that is of data, and mentions any other', () => {
    const preferred = (type: string): string => `${start}authors:
  - name: Sea Lab
license-url: https://example.org/terms
preferred-citation:
  type: ${type}
  title: Reef
  authors:
    - family-names: Quill
      given-names: Ada
  editors:
    - family-names: Ink
      given-names: Cy
  publisher:
    name: Archive
  doi: 10.1234/preferred
  year: 2023
  month: 4
`;
    const data = cite(readCitationText(preferred('data')).folder);
    assert.deepEqual([data?.title, data?.doi, data?.issued], ['Reef', '10.1234/preferred', '2023-04']);
    assert.deepEqual([data?.editors, data?.publisher], [[{ family: 'Ink', given: 'Cy' }], 'Archive']);
    assert.equal(data?.licenses[0]?.url, 'https://example.org/terms');
    const article = cite(readCitationText(preferred('article')).folder);
    assert.deepEqual([article?.title, article?.doi], ['Reef survey', undefined]);
    assert.deepEqual(article?.notes, ['Preferred citation: 10.1234/preferred']);
  });

  for (const [text, warning] of [
    ['a: [', /^it is not valid YAML \(line 1, column 5\): /],
    ['- a', /^it is not a mapping$/],
    ['', /^it is not valid YAML: expected a document/],
    ['title: x', /^it has no title or no authors$/],
    ['title: x\nauthors: Ada', /^it has no title or no authors$/],
    ['a: &a [*a]\n', /^it has no title or no authors$/],
    [`a: &a [x]\n${'b: [*a]\n'.repeat(2)}`, /^it is not valid YAML \(line 3, column \d+\): duplicated mapping key$/],
  ] as const) {
    it(`is not read, and named, if it is ${JSON.stringify(text)}`, () => {
      const { folder, warnings } = readCitationText(text);
      assert.equal(folder, undefined);
      assert.match(warnings.join(), warning);
    });
  }

  it('with a billion names by aliases or with too many authors gives no credit, and is named', () => {
    const list = (level: number): string => `l${level}: &l${level} [${`*l${level - 1}, `.repeat(9)}x]\n`;
    const bomb = `l0: &l0 [x]\n${Array.from({ length: 9 }, (_, index) => list(index + 1)).join('')}`;
    const many = `title: x\nauthors:\n${'  - name: Somebody\n'.repeat(5_000)}`;
    assert.equal(readCitationText(`${bomb}title: x\nauthors: *l9\n`).folder?.['credit'] === undefined, false);
    assert.deepEqual(readCitationText(many).warnings, ['its credit is longer than allowed']);
  });
});

describe('The description of a BIDS data set', () => {
  const read = (fields: JsonObject) => readBidsText(JSON.stringify({ Name: 'Rest', BIDSVersion: '1.8.0', ...fields }));

  it('gives its files its title, authors, DOI, license, funding and links', () => {
    const { folder, warnings } = read({
      License: 'CC0',
      Authors: ['Ada Quill', 'Hopper, Grace'],
      DatasetDOI: 'doi:10.18112/openneuro.ds000001.v1.0.0',
      Funding: ['Grant 1'],
      ReferencesAndLinks: ['https://doi.org/10.1000/paper', 'A book'],
      HowToAcknowledge: 'Please cite the paper.',
    });
    assert.deepEqual(warnings, []);
    const citation = cite(folder);
    assert.ok(citation);
    const { title, doi, licenses, notes } = citation;
    assert.deepEqual(
      [title, doi, licenses.map(({ name }) => name)],
      ['Rest', '10.18112/openneuro.ds000001.v1.0.0', ['CC0-1.0']],
    );
    assert.deepEqual(citation.authors, [{ literal: 'Ada Quill' }, { family: 'Hopper', given: 'Grace' }]);
    for (const text of ['Grant 1', '10.1000/paper', 'A book', 'Please cite the paper.'])
      assert.ok(JSON.stringify(notes).includes(text), `${text}: ${JSON.stringify(notes)}`);
  });

  it('gives neither what a template left to fill in, nor a DOI that is none', () => {
    const { folder } = read({
      Name: 'TODO: name of the dataset',
      Authors: ['TODO:', '', 'First1 Last1', 7],
      License: 'TODO: choose a license',
      DatasetDOI: 'TODO: eventually a DOI for the dataset',
      Funding: 'none',
    });
    assert.deepEqual(folder, undefined);
    const citation = cite(read({ Authors: 'Ada Quill', DatasetDOI: 'n/a' }).folder);
    assert.deepEqual([citation?.authors, citation?.doi], [[{ literal: 'Ada Quill' }], undefined]);
  });

  it('without authors credits its name, not the data set that its folder is in', () => {
    assert.deepEqual(cite(read({ DatasetType: 'derivative' }).folder)?.title, 'Rest');
  });

  it('is only a file with the name and the version of BIDS', () => {
    for (const text of ['{"Name": "x"}', '{"BIDSVersion": "1.8.0"}', '[]', '{"Name":'])
      assert.equal(readBidsText(text).folder, undefined, text);
    assert.deepEqual(readBidsText('{"Name":').warnings, ['it is not a JSON object (line 1, column 9)']);
  });
});
