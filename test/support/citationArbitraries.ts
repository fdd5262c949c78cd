import fc from 'fast-check';

/** Pieces of names and titles: text in many scripts, characters with a special meaning in a format, and line breaks. */
const pieces = [
  ...[
    'a',
    'Zoë',
    'van der ',
    'O’Neill',
    'Łódź ',
    'Иван ',
    'محمد ',
    'שלום ',
    '李小龙',
    'ประเทศ',
    'हिन्दी ',
    '한국 ',
    'ñ',
    '𝒳',
    '👩‍🔬',
  ],
  ...['&', '%', '$', '#', '_', '{', '}', '~', '^', '\\', '\n', '\r\n', '\t', '\u2028', '\u0085', '\u202e', '\0'],
  ...[
    '"',
    "'",
    '`',
    '``',
    "''",
    '--',
    '---',
    '<i>',
    '</i>',
    '<<',
    '@',
    '=',
    ',',
    ', ',
    ';',
    ':',
    '- ',
    '  - ',
    ' and ',
  ],
  ...[
    '\\textbf{',
    '\\',
    '$x^2$',
    'TY  - ',
    '# ',
    '|',
    '>',
    '!',
    '?',
    '*',
    '[',
    ']',
    '(',
    ')',
    '.',
    ' ',
    '1',
    '0x1',
    'null',
  ],
];

/** Text that, if it isn't escaped, may corrupt the output of a format. */
const hostileText = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));

/** A field value: text, an empty value, or a value of the wrong type. */
const value = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', ',', null, undefined, 5, true, [], {}) },
);

/** A value or, in half of the cases, one of `other`. */
const valueOr = (...other: readonly unknown[]): fc.Arbitrary<unknown> => fc.oneof(value, fc.constantFrom(...other));

const contributor = fc.record(
  {
    contributor_type: fc.constantFrom('Person', 'Organization', '', null),
    contributor_id: valueOr('orcid:0000-0002-1825-0097', 'https://orcid.org/0000-0002-1825-0097'),
    name: value,
    given_name: value,
    family_name: value,
    affiliations: fc.array(fc.record({ organization_name: value }), { maxLength: 2 }),
    contributor_roles: valueOr('PI', 'ContactPerson', 'Principal Investigator,Conceptualization', 'Editor', 'Sponsor'),
  },
  { requiredKeys: [] },
);

const date = fc.record({
  event: fc.constantFrom('Issued', 'Created', 'Accepted', 'Updated', 'created', '', null),
  date: valueOr(
    '2021-08-26',
    '2021-09-14T18:12:55.123000',
    '2020-02',
    '2019',
    '2021-02-31',
    '0000-00-00',
    '2021-13-01',
  ),
});

const related = fc.record({
  id: valueOr('10.46936/fics.proj.2019.50568/60000119', 'doi:10.25345/C58K7520G', 'https://doi.org/10.1234/a_b(c)'),
  description: valueOr('Proposal DOI', 'Dataset DOI', 'Awarded proposal DOI'),
  relationship_type: valueOr('IsCitedBy', 'IsIdenticalTo'),
});

const license = fc.record({
  id: valueOr('CC-BY-4.0', 'cc0', 'CC BY-NC 3.0', 'MIT', 'All rights reserved'),
  url: valueOr('https://creativecommons.org/licenses/by/4.0/', 'https://example.org/license'),
});

const list = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 5, arbitrary: fc.array(item, { maxLength: 4 }) }, { weight: 1, arbitrary: value });

/** The credit metadata of a file, with empty, contradictory and hostile values. */
const credit = fc.record(
  {
    contributors: list(contributor),
    dates: list(date),
    descriptions: list(fc.record({ description_text: value })),
    funding: list(fc.record({ funder: fc.record({ organization_name: value }), grant_id: value, grant_title: value })),
    identifier: valueOr('JDP:6101cc0f2b1f2eeea564c978', 'nmdc:dobj-11-2jmy8t58', 'doi:10.5281/zenodo.1003150'),
    license: fc.oneof(license, value),
    publisher: fc.oneof(fc.record({ organization_name: value }), value),
    related_identifiers: list(related),
    titles: list(fc.record({ title: value, title_type: fc.constantFrom('', null, 'AlternativeTitle') })),
    url: valueOr('https://example.org/data?id=1&x={a}#b_c', 'http://例え.jp/データ 1', 'ftp://example.org/a'),
    content_url: valueOr('https://example.org/content_1'),
    version: valueOr('1.0', '2021-08-26', 2),
  },
  { requiredKeys: [] },
);

/** A file to cite, with arbitrary credit metadata. */
export const citableFile = fc.record({
  name: hostileText,
  database: hostileText,
  resource: fc.record(
    {
      credit: fc.oneof({ weight: 9, arbitrary: credit }, { weight: 1, arbitrary: value }),
      title: value,
      license: value,
    },
    { requiredKeys: [] },
  ),
});
