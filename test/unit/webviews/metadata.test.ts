import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { describe, it } from 'mocha';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import type { MetadataSnapshot } from '../../../src/webviews/messages/metadataMessages.ts';
import { listLicenses, listSources, readCredit } from '../../../src/webviews/metadata/credit.ts';
import {
  describeMetadataChange,
  listFacts,
  listMetadataNotes,
  listOtherFields,
  listSchemaFields,
} from '../../../src/webviews/metadata/facts.ts';
import { createFormat } from '../../../src/webviews/shared/format.ts';

const format = createFormat('en');

function entry(resource: Record<string, unknown>, known: Partial<FileEntry> = {}): FileEntry {
  return {
    kind: 'file',
    id: 'one',
    database: 'Sample data',
    name: 'one.csv',
    ...known,
    resource: { id: 'one', ...resource },
  };
}

describe('The facts of a file', () => {
  it('show the size in readable units and in bytes', () => {
    const [size] = listFacts(entry({ bytes: 1455012 }, { sizeBytes: 1455012 }), format);
    assert.deepEqual([size?.text, size?.exact], ['1.5 MB', '1,455,012 bytes']);
  });

  it('omit what the database did not send', () => {
    const keys = listFacts(entry({ hash: '', encoding: '' }, { hash: '' }), format).map(({ key }) => key);
    assert.deepEqual(keys, ['id']);
  });

  it('show the staging status only where it is known (D31: staged display)', () => {
    const getStagingText = (staging?: 'staged' | 'unstaged'): string | undefined =>
      listFacts(entry({ status: 'published' }), format, { ...(staging && { staging }) }).find(
        ({ key }) => key === 'staging',
      )?.text;
    assert.deepEqual(
      [getStagingText('staged'), getStagingText('unstaged'), getStagingText()],
      ['Staged', 'Unstaged', undefined],
    );
  });

  it('name the other databases that have the same file, with its names in the tooltip (D60: same content)', () => {
    const copies = [
      { database: 'Beta', name: 'b.csv' },
      { database: 'Beta', name: 'c.csv' },
      { database: 'Gam\u0000ma', name: 'g.csv' },
    ];
    const fact = listFacts(entry({}), format, { copies }).find(({ key }) => key === 'copies');
    const exact = 'Beta: b.csv\nBeta: c.csv\nGam␀ma: g.csv';
    assert.deepEqual([fact?.label, fact?.text, fact?.exact], ['Also in', 'Beta, Gam␀ma', exact]);
  });

  it('shorten long values, and leave the full value to the other fields', () => {
    const id = 'x'.repeat(100_000);
    const file = entry({ id }, { id });
    const facts = listFacts(file, format);
    assert.ok((facts[0]?.text.length ?? Infinity) <= 300);
    assert.equal(listOtherFields(file, facts, file.name)['id'], id);
  });
});

describe('The other fields of a file', () => {
  it('contain everything that the page does not show elsewhere, including empty values (D15: tolerant reading)', () => {
    const resource = { bytes: 7, name: 'one.csv', description: 'Text', comment: '', nothing: null, credit: { a: 1 } };
    const file = entry(resource, { sizeBytes: 7, description: 'Text' });
    const others = listOtherFields(file, listFacts(file, format), 'one.csv');
    assert.deepEqual(others, { comment: '', nothing: null, credit: { a: 1 } });
  });
});

describe('The credit of a file', () => {
  const credit = {
    contributors: [
      {
        name: 'Carberry, Josiah',
        contributor_id: 'orcid:0000-0002-1825-0097',
        affiliations: [{ organization_id: 'ROR:04xm1d337', organization_name: 'Joint Genome Institute' }],
        contributor_roles: 'PI,Formal Analysis',
      },
      { name: ',', given_name: '', family_name: '', affiliations: null },
    ],
    dates: [
      { date: '2021-08-26', event: 'Created' },
      { date: '', event: 'Accepted' },
      { date: 'spring', event: 'Updated' },
      { date: '2021', event: 'Collected' },
      { date: '2021-05', event: 'Issued' },
    ],
    funding: [
      { funder: { organization_id: 'ROR:01bj3aw27', organization_name: 'Somebody' }, grant_id: '', grant_url: '' },
    ],
    publisher: { organization_id: '', organization_name: '' },
    related_identifiers: [{ id: '10.46936/10.25585/60001289', description: 'Awarded proposal DOI' }, { id: '' }],
    titles: null,
    version: '',
  };
  const read = readCredit(entry({ credit }), format);

  it('lists contributors with their identifiers, and omits those without a name', () => {
    assert.deepEqual(read.contributors, [
      {
        name: 'Carberry, Josiah',
        identifier: { text: '0000-0002-1825-0097', address: 'https://orcid.org/0000-0002-1825-0097' },
        roles: 'PI, Formal Analysis',
        affiliations: [{ text: 'Joint Genome Institute', address: 'https://ror.org/04xm1d337' }],
      },
    ]);
  });

  it('shows the same day in every time zone, and an invalid or partial date as it was sent', () => {
    assert.deepEqual(
      read.dates.map(({ text }) => text),
      ['Aug 26, 2021', 'spring', '2021', '2021-05'],
    );
  });

  it('links identifiers', () => {
    assert.equal(read.related.length, 1);
    assert.equal(read.related[0]?.identifier.address, 'https://doi.org/10.46936/10.25585/60001289');
    assert.deepEqual(read.funding, [{ identifier: { text: 'Somebody', address: 'https://ror.org/01bj3aw27' } }]);
  });

  it('is empty when the database sends another type', () => {
    const odd = readCredit(entry({ credit: 17, contributors: 'nobody' }), format);
    assert.deepEqual(odd, { contributors: [], dates: [], funding: [], related: [], titles: [] });
  });

  it('reads the contributors of a data package', () => {
    const found = readCredit(
      entry({ contributors: [{ title: 'Vega', path: 'https://vega.github.io', role: 'author' }] }),
      format,
    );
    assert.deepEqual(found.contributors[0], {
      name: 'Vega',
      identifier: { text: 'https://vega.github.io', address: 'https://vega.github.io/' },
      roles: 'author',
      affiliations: [],
    });
  });
});

describe('The credit of a file that a data package describes', () => {
  const about = { title: 'Glaciers', version: '3.0.0', created: '2023-10-01', homepage: 'https://example.org/g' };

  it('names the package with its version, date and address, as its citation does', () => {
    const { titles, version, dates, address } = readCredit(entry({ package: about }), format);
    assert.deepEqual(
      { titles, version, address },
      {
        titles: ['Glaciers'],
        version: '3.0.0',
        address: { text: 'https://example.org/g', address: 'https://example.org/g' },
      },
    );
    assert.deepEqual(dates, [{ event: 'created', text: 'Oct 1, 2023', written: '2023-10-01' }]);
  });

  it('is that of the file, if the file has its own', () => {
    const credit = { titles: [{ title: 'Lengths' }] };
    const { titles, version, dates } = readCredit(entry({ credit, package: about }), format);
    assert.deepEqual({ titles, version, dates }, { titles: ['Lengths'], version: undefined, dates: [] });
  });
});

describe('The sources and licenses of a file', () => {
  it('link the title of a source and include its email address', () => {
    const sources = [{ title: 'Airports', path: 'https://example.org/a', email: 'a@example.org' }, { path: '' }];
    assert.deepEqual(listSources(entry({ sources })), [
      { text: 'Airports', address: 'https://example.org/a', email: 'a@example.org' },
    ]);
  });

  it('show an invalid email address as text', () => {
    const sources = [{ email: 'ask at the desk' }, { title: 'Desk', email: 'a@example.org?cc=b@example.org' }];
    assert.deepEqual(listSources(entry({ sources })), [
      { text: 'ask at the desk' },
      { text: 'Desk', email: 'a@example.org?cc=b@example.org' },
    ]);
  });

  it('show an address that must not be opened as text', () => {
    const licenses = [{ title: '<b>mine</b>', path: 'javascript:alert(1)' }];
    assert.deepEqual(listLicenses(entry({ licenses })), [{ text: '<b>mine</b> (javascript:alert(1))' }]);
  });

  it('list a license once if it was sent twice', () => {
    const file = entry({
      licenses: [{ name: 'CC0-1.0' }],
      license: 'CC0-1.0',
      credit: { license: { id: '', url: '' } },
    });
    assert.deepEqual(listLicenses(file), [{ text: 'CC0-1.0' }]);
  });

  it('list a license with its name if it was sent with two addresses before', () => {
    const path = 'https://creativecommons.org/licenses/by/4.0/';
    const license = 'http://creativecommons.org/licenses/by/4.0/legalcode';
    const file = entry({ licenses: [{ path }], license, credit: { license: { id: 'CC-BY-4.0', url: '' } } });
    assert.deepEqual(listLicenses(file), [{ text: 'CC-BY-4.0', address: path }]);
  });

  it('list a license once if it was sent in several wordings with the same SPDX ID', () => {
    const address = 'https://creativecommons.org/licenses/by/4.0/';
    const licenses = [{ name: 'CC-BY-4.0' }, { name: 'Ask the owner' }, { name: 'ask the owner' }];
    const file = entry({ licenses, license: address, credit: { license: { id: 'CC BY 4.0', url: '' } } });
    assert.deepEqual(listLicenses(file), [
      { text: 'CC-BY-4.0', address },
      { text: 'Ask the owner' },
      { text: 'ask the owner' },
    ]);
  });
});

describe('The schema of a file', () => {
  it('lists names, types and constraints', () => {
    const fields = [
      { name: 'iata', type: 'string', constraints: { unique: true, maxLength: 3, required: false } },
      { name: 'day', type: 'date', format: '%d', title: 'Day', constraints: { enum: ['a', 2] } },
      'not a field',
    ];
    assert.deepEqual(listSchemaFields(entry({ schema: { fields, primaryKey: 'iata' } })), [
      { name: 'iata', type: 'string', description: '', constraints: 'primary key; unique; maximum length 3' },
      { name: 'day', type: 'date (%d)', description: 'Day', constraints: 'one of a, 2' },
    ]);
  });

  it('names constraints in words, and unknown ones as the schema does', () => {
    const constraints = {
      required: true,
      minLength: 2,
      minimum: '2020-01-01',
      maximum: 9,
      exclusiveMinimum: 0,
      exclusiveMaximum: 1,
      pattern: '[A-Z]+',
      jsonSchema: { type: 'object' },
      toString: 'x',
      minDate: true,
      unique: 'no',
    };
    const [shown] = listSchemaFields(entry({ schema: { fields: [{ name: 'a', constraints }] } }));
    assert.deepEqual(shown?.constraints.split('; '), [
      ...['required', 'minimum length 2', 'minimum 2020-01-01', 'maximum 9', 'greater than 0', 'less than 1'],
      ...['pattern [A-Z]+', 'jsonSchema {"type":"object"}', 'toString x', 'minDate', 'unique no'],
    ]);
  });

  it('is in the language of the editor, with its punctuation', async () => {
    const bundle = await readFile(join(import.meta.dirname, '..', '..', '..', 'l10n', 'bundle.l10n.fr.json'), 'utf8');
    l10n.config({ contents: bundle });
    const field = {
      name: 'a',
      title: 'Day',
      description: 'of {0}',
      constraints: { required: true, minimum: 0, enum: ['{1}'] },
    };
    const [shown] = listSchemaFields(entry({ schema: { fields: [field] } }));
    l10n.config({ contents: {} });
    assert.equal(shown?.constraints, 'obligatoire\u00a0; au minimum 0\u00a0; une valeur parmi {1}');
    assert.equal(shown.description, 'Day\u00a0: of {0}');
  });

  it('is empty when the resource has none', () => {
    assert.deepEqual(listSchemaFields(entry({ schema: 'https://example.org/schema.json' })), []);
  });
});

describe('The notes above the metadata', () => {
  const ref = { connectionId: 'c', database: 'Sample data', id: 'one', name: 'one.csv' };
  const snapshot: MetadataSnapshot = { ref, kept: false, loading: false };

  it('offer a retry when there is a problem, but not while loading', () => {
    const problem = 'It failed.';
    const labels = (more: Partial<MetadataSnapshot>): unknown =>
      listMetadataNotes({ ...snapshot, problem, ...more }, format)[0]?.actions?.map(({ label }) => label);
    assert.deepEqual(labels({}), ['Retry']);
    assert.deepEqual(labels({ remedy: 'key' }), ['Retry', 'Set API Key…']);
    assert.deepEqual(listMetadataNotes({ ...snapshot, problem, loading: true }, format), []);
  });

  it('show the time of metadata that was saved over a reload', () => {
    const [note] = listMetadataNotes(
      { ...snapshot, found: entry({}), receivedAt: Date.parse('2026-11-20T14:02:00'), old: true },
      format,
    );
    assert.match(note?.text ?? '', /Nov 20, 2026/);
  });

  it('are announced only when loading ends', () => {
    const loading = { ...snapshot, loading: true };
    assert.equal(describeMetadataChange(snapshot, loading), undefined);
    assert.equal(describeMetadataChange(loading, { ...snapshot, problem: 'It failed.' }), 'It failed.');
    assert.equal(describeMetadataChange(snapshot, snapshot), undefined);
  });
});
