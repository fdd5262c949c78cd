import assert from 'node:assert/strict';
import { createRoCrate } from '../../../src/core/model/roCrate.ts';
import type { RecordedFile } from '../../../src/core/model/fileExport.ts';
import type { Transfer, TransferState } from '../../../src/core/model/transferModel.ts';
import type { JsonObject } from '../../../src/core/util/json.ts';

type Entity = JsonObject & { readonly '@id': string };

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

const landed: readonly RecordedFile[] = [
  { id: 'JDP:1', path: 'x:y/a b#.txt', sizeBytes: 5, hash: `sha256:${sha256}`, mediaType: 'text/plain' },
  { id: 'JDP:2', path: 'c' },
];

function createGraph(given: Transfer, files = landed): ReadonlyMap<string, Entity> {
  const crate = createRoCrate({ transfer: given, files }, { version: '1.2.3', serviceName: 'DTS', now: at + 90_000 });
  assert.equal(crate['@context'], 'https://w3id.org/ro/crate/1.2/context');
  const graph = crate['@graph'] as readonly Entity[];
  const byId = new Map(graph.map((entity) => [entity['@id'], entity]));
  assert.equal(byId.size, graph.length, 'each entity is described once');
  return byId;
}

/** Returns the entities to which a property refers. */
function follow(graph: ReadonlyMap<string, Entity>, entity: Entity | undefined, name: string): readonly Entity[] {
  const references = [entity?.[name] ?? []].flat() as unknown as readonly { readonly '@id': string }[];
  return references.map((reference) => {
    const target = graph.get(reference['@id']);
    assert.ok(target, `${name} refers to ${reference['@id']}, which the graph describes`);
    return target;
  });
}

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
    const { order } = transfer('succeeded');
    const own = createGraph(transfer('succeeded', { order: { ...order, orcid: 'alice' } }));
    const [agent] = follow(own, own.get('#transfer'), 'agent');
    assert.deepEqual(agent, { '@id': '#agent', '@type': 'Person', name: 'alice' });
  });

  it('does not describe itself twice, nor a source that was requested twice', () => {
    const { order } = transfer('succeeded');
    const twice = transfer('succeeded', { order: { ...order, files: [...order.files, ...order.files] } });
    const described = createGraph(twice, [...landed, { path: 'ro-crate-metadata.json' }]);
    assert.equal(follow(described, described.get('./'), 'hasPart').length, 2);
  });
});
