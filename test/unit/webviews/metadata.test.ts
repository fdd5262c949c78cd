import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import type { MetadataSnapshot } from '../../../src/messages/metadataMessages.ts';
import { creditOf } from '../../../src/webviews/metadata/credit.ts';
import { factsOf, otherFields } from '../../../src/webviews/metadata/facts.ts';
import { notesOf, spokenChange } from '../../../src/webviews/metadata/notes.ts';
import { licencesOf, sourcesOf } from '../../../src/webviews/metadata/origins.ts';
import { schemaFields } from '../../../src/webviews/metadata/schema.ts';
import { formatFor } from '../../../src/webviews/shared/format.ts';

const format = formatFor('en');

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
  it('say the size for reading and to the byte', () => {
    const [size] = factsOf(entry({ bytes: 1455012 }, { sizeBytes: 1455012 }), format);
    assert.deepEqual([size?.text, size?.exact], ['1.5 MB', '1,455,012 bytes']);
  });

  it('leave out what the database did not tell', () => {
    const keys = factsOf(entry({ hash: '', encoding: '' }, { hash: '' }), format).map(({ key }) => key);
    assert.deepEqual(keys, ['id']);
  });

  it('say whether a copy can begin at once, where that is known, and nothing of it elsewhere (D31)', () => {
    const textOf = (staging?: 'staged' | 'unstaged'): string | undefined =>
      factsOf(entry({ status: 'published' }), format, staging).find(({ key }) => key === 'staging')?.text;
    assert.deepEqual([textOf('staged'), textOf('unstaged'), textOf()], ['Staged', 'Unstaged', undefined]);
  });

  it('cut what is too long, and leave the whole of it to the other fields', () => {
    const id = 'x'.repeat(100_000);
    const file = entry({ id }, { id });
    const facts = factsOf(file, format);
    assert.ok((facts[0]?.text.length ?? Infinity) <= 300);
    assert.equal(otherFields(file, facts, file.name)['id'], id);
  });
});

describe('The other fields of a file', () => {
  it('hold everything that the page does not say elsewhere, also what is empty (D15)', () => {
    const resource = { bytes: 7, name: 'one.csv', description: 'Text', comment: '', nothing: null, credit: { a: 1 } };
    const file = entry(resource, { sizeBytes: 7, description: 'Text' });
    const others = otherFields(file, factsOf(file, format), 'one.csv');
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
    ],
    funding: [
      { funder: { organization_id: 'ROR:01bj3aw27', organization_name: 'Somebody' }, grant_id: '', grant_url: '' },
    ],
    publisher: { organization_id: '', organization_name: '' },
    related_identifiers: [{ id: '10.46936/10.25585/60001289', description: 'Awarded proposal DOI' }, { id: '' }],
    titles: null,
    version: '',
  };
  const read = creditOf(entry({ credit }), format);

  it('names people with what leads to them, and leaves out who has no name', () => {
    assert.deepEqual(read.contributors, [
      {
        name: 'Carberry, Josiah',
        identifier: { text: '0000-0002-1825-0097', address: 'https://orcid.org/0000-0002-1825-0097' },
        roles: 'PI, Formal Analysis',
        affiliations: [{ text: 'Joint Genome Institute', address: 'https://ror.org/04xm1d337' }],
      },
    ]);
  });

  it('keeps a day that day in every time zone, and a date that is none as it was written', () => {
    assert.deepEqual(
      read.dates.map(({ text }) => text),
      ['Aug 26, 2021', 'spring'],
    );
  });

  it('makes links of identifiers', () => {
    assert.equal(read.related.length, 1);
    assert.equal(read.related[0]?.identifier.address, 'https://doi.org/10.46936/10.25585/60001289');
    assert.deepEqual(read.funding, [{ identifier: { text: 'Somebody', address: 'https://ror.org/01bj3aw27' } }]);
  });

  it('is empty when the database sends something else in its place', () => {
    const odd = creditOf(entry({ credit: 17, contributors: 'nobody' }), format);
    assert.deepEqual(odd, { contributors: [], dates: [], funding: [], related: [], titles: [] });
  });

  it('reads the contributors of a data package', () => {
    const found = creditOf(
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

describe('Sources and licences of a file', () => {
  it('link a source under its title and keep the address for mail', () => {
    const sources = [{ title: 'Airports', path: 'https://example.org/a', email: 'a@example.org' }, { path: '' }];
    assert.deepEqual(sourcesOf(entry({ sources })), [
      { text: 'Airports', address: 'https://example.org/a', email: 'a@example.org' },
    ]);
  });

  it('show what a source gives as its e-mail as text where it is no address', () => {
    const sources = [{ email: 'ask at the desk' }, { title: 'Desk', email: 'a@example.org?cc=b@example.org' }];
    assert.deepEqual(sourcesOf(entry({ sources })), [
      { text: 'ask at the desk' },
      { text: 'Desk', email: 'a@example.org?cc=b@example.org' },
    ]);
  });

  it('show an address that may not be opened as text', () => {
    const licenses = [{ title: '<b>mine</b>', path: 'javascript:alert(1)' }];
    assert.deepEqual(licencesOf(entry({ licenses })), [{ text: '<b>mine</b> (javascript:alert(1))' }]);
  });

  it('name a licence once that is told twice', () => {
    const file = entry({
      licenses: [{ name: 'CC0-1.0' }],
      license: 'CC0-1.0',
      credit: { license: { id: '', url: '' } },
    });
    assert.deepEqual(licencesOf(file), [{ text: 'CC0-1.0' }]);
  });
});

describe('The schema of a file', () => {
  it('tells names, types and constraints', () => {
    const fields = [
      { name: 'iata', type: 'string', constraints: { unique: true, maxLength: 3, required: false } },
      { name: 'day', type: 'date', format: '%d', title: 'Day', constraints: { enum: ['a', 2] } },
      'not a field',
    ];
    assert.deepEqual(schemaFields(entry({ schema: { fields, primaryKey: 'iata' } })), [
      { name: 'iata', type: 'string', description: '', constraints: ['primary key', 'unique', 'maxLength 3'] },
      { name: 'day', type: 'date (%d)', description: 'Day', constraints: ['enum a, 2'] },
    ]);
  });

  it('is absent when the resource has none', () => {
    assert.deepEqual(schemaFields(entry({ schema: 'https://example.org/schema.json' })), []);
  });
});

describe('The notes above the metadata', () => {
  const ref = { connectionId: 'c', database: 'Sample data', id: 'one', name: 'one.csv' };
  const snapshot: MetadataSnapshot = { ref, kept: false, loading: false };

  it('offer to try again when there is a problem, but not while that is being done', () => {
    const problem = 'It failed.';
    assert.deepEqual(notesOf({ ...snapshot, problem }, format)[0]?.action?.name, 'retry');
    assert.equal(notesOf({ ...snapshot, problem }, format)[0]?.remedy, undefined);
    assert.equal(notesOf({ ...snapshot, problem, remedy: 'key' }, format)[0]?.remedy?.label, 'Set API Key…');
    assert.deepEqual(notesOf({ ...snapshot, problem, loading: true }, format), []);
  });

  it('say from when it is what was kept over a reload', () => {
    const [note] = notesOf(
      { ...snapshot, found: entry({}), receivedAt: Date.parse('2026-11-20T14:02:00'), old: true },
      format,
    );
    assert.match(note?.text ?? '', /Nov 20, 2026/);
  });

  it('are spoken only when the service has answered', () => {
    const loading = { ...snapshot, loading: true };
    assert.equal(spokenChange(snapshot, loading), undefined);
    assert.equal(spokenChange(loading, { ...snapshot, problem: 'It failed.' }), 'It failed.');
    assert.equal(spokenChange(snapshot, snapshot), undefined);
  });
});
