import assert from 'node:assert/strict';
import { createFileCrate, createRoCrate } from '../../../src/core/model/roCrate.ts';
import {
  formatOmissions,
  listTransferOmissions,
  type Omission,
  type RecordedFile,
} from '../../../src/core/model/fileExport.ts';
import type { Transfer, TransferState } from '../../../src/core/model/transferModel.ts';
import { crateRules, follow, listByType, readCrate, type CrateGraph } from '../../support/crateRules.ts';

const at = Date.UTC(2026, 0, 1, 12);
const sha256 = 'a'.repeat(64);

function transfer(state: TransferState, more: Partial<Transfer> = {}): Transfer {
  const files = [
    { id: 'JDP:1', name: 'a b#.txt' },
    { id: 'JDP:2', name: 'c' },
  ];
  return {
    key: 'k',
    id: '11111111-2222-4333-8444-555555555555',
    order: { connectionId: 'c', orcid: '0000-0002-1825-0097', source: 'JDP', destination: 'KBase', files },
    createdAt: at,
    state,
    changes: [{ state, at: at + 60_000 }],
    status: { status: state, fileCount: 2, movedFileCount: 2 },
    ...more,
  };
}

const transferred: readonly RecordedFile[] = [
  { id: 'JDP:1', path: 'x:y/a b#.txt', sizeBytes: 5, hash: `sha256:${sha256}`, mediaType: 'text/plain' },
  { id: 'JDP:2', path: 'c' },
];

function createGraph(given: Transfer, files = transferred, omissions: readonly Omission[] = []): CrateGraph {
  const context = { version: '1.2.3', serviceName: 'DTS', now: at + 90_000 };
  return readCrate(createRoCrate({ transfer: given, files, omissions }, context));
}

const { order } = transfer('succeeded');

function withoutId({ key, order: sent, createdAt, state, changes }: Transfer): Transfer {
  return { key, order: sent, createdAt, state, changes };
}

describe('The requirements of RO-Crate 1.2', () => {
  const list = { files: [{ id: '1', name: 'a', path: '../a b', database: 'JDP' }], omissions: [] };
  const context = { serviceName: 'DTS', now: at };
  for (const [what, graph] of [
    ['a finished transfer', createGraph(transfer('succeeded'))],
    ['a running transfer without an ID', createGraph(withoutId(transfer('staging')), [])],
    ['a failed transfer of unknown files', createGraph(transfer('failed', { order: { ...order, files: [] } }), [])],
    [
      'a transfer with an empty description',
      createGraph(transfer('succeeded', { order: { ...order, description: '' } })),
    ],
    ['a search', readCrate(createFileCrate({ ...list, query: { database: 'JDP', query: 'x', pageSize: 5 } }, context))],
    ['a selection', readCrate(createFileCrate(list, context))],
    ['an empty selection', readCrate(createFileCrate({ files: [], omissions: [] }, { ...context, serviceName: '' }))],
  ] as const)
    for (const [rule, check] of Object.entries(crateRules)) it(`hold for ${what}: ${rule}`, () => check(graph));
});

describe('An RO-Crate 1.2 of a search or a selection', () => {
  const files = [
    {
      id: 'JDP:1',
      name: 'a',
      path: 'x/a',
      sizeBytes: 5,
      hash: `sha256:${sha256}`,
      mediaType: 'text/plain',
      database: 'JDP',
    },
    { id: 'JDP:1', name: 'a', database: 'Other' },
  ];
  const query = { database: 'JDP', query: 'soil', pageSize: 10, status: 'staged' } as const;
  const omissions = [{ kind: 'notLoaded' }, { kind: 'unreadable', count: 2 }] as const;
  const context = { serviceName: 'DTS', now: at };
  const graph = readCrate(createFileCrate({ files, query, omissions }, context));
  const root = graph.get('./');

  it('has no action', () => {
    assert.deepEqual(listByType(graph, 'CreateAction'), []);
    assert.equal(root?.['mentions'], undefined);
  });

  it('states the search, its filters and what it does not contain', () => {
    assert.equal(root?.['name'], 'Files of JDP, Other found by searching for "soil"');
    assert.equal(
      root['description'],
      'Metadata of files that DTS lists. Filters: {"status":"staged"}. ' +
        'Not listed: results of the search that were not loaded. Not listed: 2 that could not be read.',
    );
  });

  it('describes a search by ID, one for all files, and a selection', () => {
    const name = (more: object): unknown =>
      readCrate(createFileCrate({ files, omissions: [], ...more }, context)).get('./')?.['name'];
    assert.deepEqual(
      [name({}), name({ query: { ...query, query: '' } }), name({ query: { ...query, query: '', ids: ['JDP:1'] } })],
      ['2 selected files of JDP, Other', 'Files of JDP, Other', 'Files of JDP, Other, requested by ID'],
    );
  });

  it('describes each file with its database, under an ID that is no path', () => {
    const [first, second] = follow(graph, root, 'hasPart');
    assert.deepEqual(first, {
      '@id': '#file-1',
      '@type': 'File',
      name: 'a',
      identifier: 'JDP:1',
      contentSize: '5',
      encodingFormat: 'text/plain',
      sha256,
      localPath: 'x/a',
      isPartOf: { '@id': '#database-JDP' },
    });
    assert.equal(follow(graph, second, 'isPartOf')[0]?.['name'], 'Other');
  });
});

describe('An RO-Crate 1.2 of a transfer', () => {
  const graph = createGraph(transfer('succeeded'));
  const root = graph.get('./');
  const action = graph.get('#transfer');

  it('has a metadata descriptor that is about the root', () => {
    assert.deepEqual(graph.get('ro-crate-metadata.json'), {
      '@id': 'ro-crate-metadata.json',
      '@type': 'CreativeWork',
      about: { '@id': './' },
      conformsTo: { '@id': 'https://w3id.org/ro/crate/1.2' },
    });
  });

  it('has a root with all required properties', () => {
    assert.equal(root?.['@type'], 'Dataset');
    for (const name of ['name', 'description']) assert.match(String(root[name]), /\S/);
    assert.match(String(root['datePublished']), /^2026-01-01T12:01:30\.000Z$/);
    const [license] = follow(graph, root, 'license');
    assert.ok(license?.['name'] && license['description']);
  });

  it('lists every transferred file as a part, with a relative address that is a valid URI', () => {
    const files = follow(graph, root, 'hasPart');
    assert.deepEqual(
      files.map((file) => [file['@id'], file['@type']]),
      [
        ['x%3Ay/a%20b%23.txt', 'File'],
        ['c', 'File'],
      ],
    );
    const [first] = files;
    assert.deepEqual(
      [first?.['contentSize'], first?.['sha256'], first?.['encodingFormat']],
      ['5', sha256, 'text/plain'],
    );
  });

  it('describes the transfer as a completed action with agent, software, sources and results', () => {
    assert.equal(action?.['@type'], 'CreateAction');
    assert.deepEqual(follow(graph, root, 'mentions'), [action]);
    const [agent] = follow(graph, action, 'agent');
    assert.deepEqual([agent?.['@id'], agent?.['@type']], ['https://orcid.org/0000-0002-1825-0097', 'Person']);
    const [software] = follow(graph, action, 'instrument');
    assert.deepEqual([software?.['@type'], software?.['version']], ['SoftwareApplication', '1.2.3']);
    const sources = follow(graph, action, 'object').map((source) => [source['@type'], source['identifier']]);
    assert.deepEqual(sources, [
      ['RepositoryObject', 'JDP:1'],
      ['RepositoryObject', 'JDP:2'],
    ]);
    assert.deepEqual(follow(graph, action, 'result'), follow(graph, root, 'hasPart'));
    assert.deepEqual(action['actionStatus'], { '@id': 'http://schema.org/CompletedActionStatus' });
    assert.deepEqual(
      [action['startTime'], action['endTime']],
      ['2026-01-01T12:00:00.000Z', '2026-01-01T12:01:00.000Z'],
    );
    assert.ok(action['name']);
  });

  for (const [state, status, more, error] of [
    ['active', 'ActiveActionStatus', {}, undefined],
    ['failed', 'FailedActionStatus', { status: { status: 'failed', message: 'disk full' } }, 'disk full'],
    ['cancelled', 'FailedActionStatus', {}, 'cancelled'],
    [
      'succeeded',
      'FailedActionStatus',
      { status: { fileCount: 2, movedFileCount: 1 } },
      '1 of 2 files were transferred.',
    ],
  ] as const) {
    it(`describes a transfer that is ${state} by its counts and state as ${status}`, () => {
      const described = createGraph(transfer(state, more), []).get('#transfer');
      assert.deepEqual(described?.['actionStatus'], { '@id': `http://schema.org/${status}` });
      assert.equal(described['error'], error);
      assert.equal('endTime' in described, state !== 'active');
    });
  }

  it('never presents a login name of the local service as an ORCID iD (D19)', () => {
    const own = createGraph(transfer('succeeded', { order: { ...order, orcid: 'alice' } }));
    const [agent] = follow(own, own.get('#transfer'), 'agent');
    assert.deepEqual(agent, { '@id': '#agent', '@type': 'Person', name: 'alice' });
  });

  it('states which requested files it does not contain', () => {
    const described = createGraph(transfer('succeeded'), transferred, [{ kind: 'notTransferred', count: 3 }]).get('./');
    assert.match(
      String(described?.['description']),
      / Not listed: 3 that the manifest of the transfer does not contain\.$/,
    );
  });

  it('lists the requested files that the manifest of the transfer does not contain, on one line', () => {
    const files = [{ id: 'a' }, { id: 'b', name: 'x\n# y' }, { id: 'c', name: 'c.txt' }].map((file) => ({
      name: '',
      ...file,
    }));
    const omissions = listTransferOmissions(transfer('succeeded', { order: { ...order, files } }), [{ id: 'c' }]);
    assert.deepEqual(formatOmissions(omissions), [
      'Not listed: 2 that the manifest of the transfer does not contain: a, x # y.',
    ]);
    const many = Array.from({ length: 22 }, (_, index) => ({ id: String(index), name: '' }));
    const more = listTransferOmissions(transfer('succeeded', { order: { ...order, files: many } }), [{ id: '0' }]);
    assert.match(formatOmissions(more).join(''), /contain: 1, .*, 20, 1 more\.$/);
  });

  it('claims no missing file if the manifest of the transfer has no IDs', () => {
    assert.deepEqual(listTransferOmissions(transfer('succeeded'), [{}]), []);
  });

  it('does not describe itself twice, nor a source that was requested twice', () => {
    const twice = transfer('succeeded', { order: { ...order, files: [...order.files, ...order.files] } });
    const described = createGraph(twice, [...transferred, { path: 'ro-crate-metadata.json' }]);
    assert.equal(follow(described, described.get('./'), 'hasPart').length, 2);
  });
});
