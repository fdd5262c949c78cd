import assert from 'node:assert/strict';
import type { Citation } from '../../../src/core/citations/citation.ts';
import { listCitations, type CitableFile } from '../../../src/core/citations/citableUnits.ts';
import { listObjects, parseDoi, parseWebAddress, readText } from '../../../src/core/citations/creditText.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';

function toFile(credit: JsonObject, fields: JsonObject = {}): CitableFile {
  return { name: 'reads.fastq', resource: { id: '1', credit, ...fields } };
}

function cite(...credits: readonly JsonObject[]): Citation {
  const [citation, ...more] = listCitations(credits.map((credit) => toFile(credit)));
  assert.ok(citation);
  assert.deepEqual(more, []);
  return citation;
}

describe('Dates of a work', () => {
  for (const [date, issued] of [
    ['2021-05-31', '2021-05-31'],
    ['2021-04-31', '2021-04'],
    ['2020-02-29', '2020-02-29'],
    ['2021-02-29', '2021-02'],
    ['2021-12-01', '2021-12-01'],
    ['2021-12-31T00:00:00Z', '2021-12-31'],
    ['2021-05-00', '2021-05'],
    ['2021-05-01', '2021-05-01'],
    ['2021-05-011', '2021-05'],
    ['2021-00-01', '2021'],
    ['2021-01', '2021-01'],
    ['2021-13', '2021'],
    ['2021', '2021'],
    ['0980-01-30', '0980-01-30'],
    ['20210', undefined],
    ['0000', undefined],
    ['in 2021', undefined],
    ['', undefined],
  ] as const) {
    it(`are ${issued ?? 'unknown'} for "${date}"`, () => {
      assert.equal(cite({ dates: [{ event: 'Issued', date }] }).issued, issued);
    });
  }

  it('are those of the most relevant event, in any order', () => {
    const events = ['Updated', '', 'Accepted', 'Created', 'Available', 'Published', 'Issued'];
    const dates = events.map((event, index) => ({ event, date: `200${index}` }));
    assert.equal(cite({ dates }).issued, '2006');
    assert.equal(cite({ dates: dates.slice(0, 5).toReversed() }).issued, '2004');
    assert.equal(cite({ dates: [{ date: '2001' }, { event: 'Collected', date: '2002' }] }).issued, '2001');
  });

  it('are the latest ones of the files of a unit', () => {
    const identifier = '10.1234/a';
    const dates = ['2020', '2022', '2021'].map((date) => ({ identifier, dates: [{ event: 'Issued', date }] }));
    assert.equal(cite(...dates, { identifier }).issued, '2022');
    assert.equal(cite({ identifier }, { identifier }).issued, undefined);
  });
});

describe('Titles and text of a work', () => {
  it('are those without a type first, without duplicates', () => {
    const titles = [
      { title: 'Alternative', title_type: 'Other' },
      { title: 'Main' },
      { title: 'Second' },
      { title: 'Main' },
    ];
    const { title, otherTitles } = cite({ titles });
    assert.deepEqual([title, otherTitles], ['Main', ['Second', 'Alternative']]);
  });

  for (const count of [0, 1, 2, 3]) {
    it(`are those of the resource if its credit has ${String(count)} unreadable titles`, () => {
      const titles = [{ title: '' }, { title: ',', title_type: 'Other' }, { title: null }].slice(0, count);
      const [citation] = listCitations([toFile({ identifier: '10.1234/a', titles }, { title: 'Soil' })]);
      assert.deepEqual([citation?.title, citation?.otherTitles], ['Soil', []]);
    });
  }

  it('are those of the first file that states them, if the files of a unit differ', () => {
    const identifier = '10.1234/a';
    const publisher = { organization_name: 'JGI' };
    const {
      title,
      publisher: named,
      version,
      fileCount,
    } = cite(
      { identifier },
      { identifier, publisher, version: '2', titles: [{ title: 'Soil' }] },
      { identifier, publisher: { organization_name: 'NMDC' }, version: '3' },
    );
    assert.deepEqual([title, named, version, fileCount], ['Soil', 'JGI', '2', 3]);
  });

  it('are an abstract from the credit, or from the resource', () => {
    const [first, second] = [{ descriptions: [{ description_text: 'About soil' }] }, {}].map((credit) => {
      return listCitations([toFile(credit, { description: 'A file' })])[0]?.abstract;
    });
    assert.deepEqual([first, second], ['About soil', 'A file']);
  });

  for (const [value, text] of [
    ['  a\n\tb ', 'a b'],
    ['a', 'a'],
    ['\u202ea\u0000b', 'a b'],
    ['e\u0301', 'é'],
    [',', undefined],
    ['', undefined],
    [5.5, '5.5'],
    [NaN, undefined],
    [Infinity, undefined],
    [true, undefined],
    [null, undefined],
    ['€', '€'],
  ] as const) {
    it(`are ${text ?? 'nothing'} for ${JSON.stringify(String(value))}`, () => {
      assert.equal(readText(value), text);
    });
  }

  it('are at most 5,000 characters long', () => {
    assert.equal(readText('x'.repeat(5_000)), 'x'.repeat(5_000));
    assert.equal(readText('x'.repeat(5_001))?.length, 5_000);
    assert.equal(readText('é'.repeat(5_001))?.length, 5_000);
  });

  it('come from the objects of a list only', () => {
    assert.deepEqual(
      [listObjects([{ a: 1 }, null, 'x', { b: 2 }]), listObjects({}), listObjects([])],
      [[{ a: 1 }, { b: 2 }], [], []],
    );
  });
});

describe('Identifiers of a work', () => {
  for (const [text, doi] of [
    ['10.1234/a', '10.1234/a'],
    ['doi:10.1234/a', '10.1234/a'],
    ['DOI: 10.1234/a', '10.1234/a'],
    ['http://dx.doi.org/10.1234/a', '10.1234/a'],
    ['https://doi.org/10.1234/A(1)', '10.1234/A(1)'],
    ['10.123456789/a/b', '10.123456789/a/b'],
    ['10.123/a', undefined],
    ['10.1234567890/a', undefined],
    ['10.1234/', undefined],
    ['10.1234/a b', undefined],
    ['10.1234/a{b', undefined],
    ['10.1234/^^5cinput^^7ba^^7d', undefined],
    ['x10.1234/a', undefined],
    ['see https://doi.org/10.1234/a', undefined],
  ] as const) {
    it(`have ${doi ?? 'no DOI'} for "${text}"`, () => {
      assert.equal(parseDoi(text), doi);
    });
  }

  for (const [value, address] of [
    ['https://a.org/x/y-1.~z_2', 'https://a.org/x/y-1.~z_2'],
    ['http://a-b.c1.org/', 'http://a-b.c1.org/'],
    ['HTTPS://A.org/X', 'https://a.org/X'],
    ['https://a.org', 'https://a.org/'],
    ['https://a.org/x y', 'https://a.org/x%20y'],
    ['https://a.org/b/../c', 'https://a.org/c'],
    ['https://a.org/?q={}|^`', 'https://a.org/?q=%7B%7D%7C%5E%60'],
    ['https://a_b.org:8443/é', 'https://a_b.org:8443/%C3%A9'],
    ['https://me@a.org/', undefined],
    ['https://:key@a.org/', undefined],
    ['https://', undefined],
    ['xhttps://a.org/', undefined],
    ['see https://a.org/', undefined],
    [5, undefined],
  ] as const) {
    it(`have the address ${address ?? '-'} for ${JSON.stringify(value)}`, () => {
      assert.equal(parseWebAddress(value), address);
    });
  }

  const related = (...entries: readonly JsonObject[]): Citation =>
    cite({ identifier: 'X:1', related_identifiers: entries.map((entry) => ({ id: 'doi:10.1234/a', ...entry })) });

  for (const own of [
    { description: ' Dataset DOI' },
    { description: 'data set doi', relationship_type: '' },
    { relationship_type: 'IsIdenticalTo' },
    { relationship_type: 'DataCite:IsPartOf', description: 'Dataset DOI' },
    { relationship_type: 'IsVersionOf' },
  ]) {
    it(`are a related DOI with ${JSON.stringify(own)}`, () => {
      const { doi, notes, identifier } = related(own);
      assert.deepEqual([doi, notes, identifier], ['10.1234/a', [], 'X:1']);
    });
  }

  for (const [other, label] of [
    [{ description: 'Dataset DOI', relationship_type: 'IsCitedBy' }, 'Dataset DOI'],
    [{ description: 'Dataset DOI', relationship_type: 'IsDerivedFrom' }, 'Dataset DOI'],
    [{ description: 'Not the dataset DOI' }, 'Not the dataset DOI'],
    [{ relationship_type: 'Cites' }, 'Cites'],
    [{}, 'Related'],
  ] as const) {
    it(`are no related DOI with ${JSON.stringify(other)}, which is a note`, () => {
      const { doi, notes } = related(other);
      assert.deepEqual([doi, notes], [undefined, [`${label}: 10.1234/a`]]);
    });
  }

  it('are the related DOI with the closest relation; none of the others is lost', () => {
    const entries = ['IsPartOf', 'IsCitedBy', 'IsIdenticalTo', 'IsVersionOf'].map((relation, index) => ({
      id: `10.1234/${index}`,
      relationship_type: relation,
    }));
    const { doi, notes } = related(...entries);
    assert.equal(doi, '10.1234/2');
    assert.deepEqual(notes, ['IsPartOf: 10.1234/0', 'IsCitedBy: 10.1234/1', 'IsVersionOf: 10.1234/3']);
    const own = cite({ identifier: '10.1234/own', related_identifiers: entries });
    assert.deepEqual([own.doi, own.notes.length], ['10.1234/own', 4]);
  });

  it('are followed by the funding', () => {
    const funder = { organization_name: 'DOE' };
    const { notes } = cite({
      funding: [{ funder, grant_title: 'Soils', grant_id: 'G1' }, { funder: 'NSF' }, { grant_id: 'G2' }, {}],
    });
    assert.deepEqual(notes, ['Funding: DOE, Soils, G1', 'Funding: NSF', 'Funding: G2']);
  });
});

describe('People of a work', () => {
  for (const [role, label] of [
    ['ContactPerson', 'Contact person'],
    ['DataManager', 'Data manager'],
    ['Distributor', 'Distributor'],
    ['Funder', 'Funder'],
    ['HostingInstitution', 'Hosting institution'],
    ['maintainer', 'Maintainer'],
    ['RegistrationAgency', 'Registration agency'],
    ['Registration_Authority', 'Registration authority'],
    ['rights-holder', 'Rights holder'],
    ['DataCite:Sponsor', 'Sponsor'],
    ['wrangler', 'Wrangler'],
  ] as const) {
    it(`are supporting with the role ${role}`, () => {
      const { authors, contributors } = cite({ contributors: [{ name: 'The Lab', contributor_roles: [role] }] });
      assert.deepEqual([authors, contributors], [[], [{ name: { literal: 'The Lab' }, role: label }]]);
    });
  }

  it('have their family and given names, or the unparsed name', () => {
    const { authors } = cite({
      contributors: [
        { familyName: 'Doe', givenName: 'J.A.', contributor_id: 'ORCID:0000-0002-1825-0097', organization: 'JGI' },
        { family_name: 'Roe', affiliations: [{ organization_name: 'LBL' }] },
        { name: 'Poe, E.A., Jr', contributor_type: 'Person' },
        { name: 'Poe, E.A.', contributor_type: 'Person', path: 'https://orcid.org/0000-0002-1825-0097' },
        { family_name: 'Moe', name: 'The Moes', contributor_type: 'Organization' },
        { given_name: 'Plato' },
        { name: 'Poe, ', contributor_type: 'Person' },
      ],
    });
    const orcid = '0000-0002-1825-0097';
    assert.deepEqual(authors, [
      { family: 'Doe', given: 'J. A.', orcid, affiliation: 'JGI' },
      { family: 'Roe', affiliation: 'LBL' },
      { literal: 'Poe, E.A., Jr' },
      { family: 'Poe', given: 'E. A.', orcid },
      { literal: 'The Moes' },
      { literal: 'Plato' },
      { literal: 'Poe,' },
    ]);
  });

  it('of the credit precede those of the resource, and a publisher in their list is taken out of it', () => {
    const contributors = [
      { title: 'X', role: 'publisher' },
      { title: 'Y', role: 'sponsor' },
    ];
    const [citation] = listCitations([toFile({}, { contributors })]);
    assert.deepEqual([citation?.publisher, citation?.contributors.map(({ role }) => role)], ['X', ['Sponsor']]);
    const credited = listCitations([
      toFile({ contributors: [{ name: 'Z' }], publisher: { organization_name: 'P' } }, { contributors }),
    ]);
    assert.deepEqual([credited[0]?.authors, credited[0]?.publisher], [[{ literal: 'Z' }], 'P']);
  });
});

describe('Keys of citations', () => {
  for (const [credit, key] of [
    [{ titles: [{ title: 'A map of soil' }], contributors: [{ family_name: 'Doe' }] }, 'doesoil'],
    [{ titles: [{ title: 'Of the sea' }], publisher: { organization_name: 'The JGI' } }, 'thejgi'],
    [{ titles: [{ title: 'Soil' }], dates: [{ event: 'Issued', date: '2021-05' }] }, '2021soil'],
    [
      {
        titles: [{ title: 'Sample weather' }],
        contributors: [{ name: 'Data Transfer Explorer contributors' }],
      },
      'dtecsample',
    ],
    [{ titles: [{ title: 'Soil' }], publisher: { organization_name: 'National Museum of the Sea' } }, 'nmssoil'],
    [{ titles: [{ title: 'Soil' }], contributors: [{ family_name: 'Poe', contributor_roles: 'Editor' }] }, 'poesoil'],
    [{ titles: [{ title: 'x'.repeat(40) }] }, 'x'.repeat(30)],
    [{ titles: [{ title: 'Zoë-Łódź (1)' }] }, 'zoeodz'],
    [{ titles: [{ title: 'Гербарий' }], dates: [{ event: 'Issued', date: '2021' }] }, 'dataset2021'],
  ] as const) {
    it(`are ${key} for ${JSON.stringify(credit)}`, () => {
      assert.equal(cite(credit).key, key);
    });
  }
});
