import assert from 'node:assert/strict';

/** An entity of an RO-Crate. */
type CrateEntity = Readonly<Record<string, unknown>> & { readonly '@id': string };

/** The entities of an RO-Crate, by ID. */
export type CrateGraph = ReadonlyMap<string, CrateEntity>;

/**
 * Returns the entities of a metadata document. Throws if the document's context isn't that of RO-Crate 1.2 or the
 * document describes an entity twice.
 */
export function readCrate(crate: Readonly<Record<string, unknown>>): CrateGraph {
  assert.equal(crate['@context'], 'https://w3id.org/ro/crate/1.2/context');
  const graph = crate['@graph'] as readonly CrateEntity[];
  const byId = new Map(graph.map((entity) => [entity['@id'], entity]));
  assert.equal(byId.size, graph.length, 'each entity is described once');
  return byId;
}

/** Returns the IDs to which a property refers. */
function listReferences(entity: CrateEntity | undefined, name: string): readonly string[] {
  const references = [entity?.[name] ?? []].flat() as unknown as readonly { readonly '@id'?: string }[];
  return references.flatMap((reference) => reference['@id'] ?? []);
}

/** Returns the entities to which a property refers. Throws if the graph doesn't contain one of them. */
export function follow(graph: CrateGraph, entity: CrateEntity | undefined, name: string): readonly CrateEntity[] {
  return listReferences(entity, name).map((id) => {
    const target = graph.get(id);
    assert.ok(target, `${name} refers to ${id}, which the graph describes`);
    return target;
  });
}

const isoDate = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?)?)?$/;

function assertDate(value: unknown, name: string): void {
  assert.match(String(value), isoDate, `${name} is one date of ISO 8601`);
  assert.equal(typeof value, 'string');
}

function assertText(value: unknown, name: string): void {
  assert.ok(typeof value === 'string' && value.trim() !== '', name);
}

/** Returns all entities of a type. */
export function listByType(graph: CrateGraph, type: string): readonly CrateEntity[] {
  return [...graph.values()].filter((entity) => [entity['@type']].flat().includes(type));
}

const actionStatuses = ['Active', 'Completed', 'Failed', 'Potential'].map(
  (name) => `http://schema.org/${name}ActionStatus`,
);

/**
 * The MUST requirements of RO-Crate 1.2, named after the pages of the specification. Each one throws if a graph
 * violates it.
 */
export const crateRules: Readonly<Record<string, (graph: CrateGraph) => void>> = {
  'Root Data Entity: the document has a descriptor with the fixed ID and type': (graph) => {
    assert.equal(graph.get('ro-crate-metadata.json')?.['@type'], 'CreativeWork');
  },
  'Root Data Entity: the descriptor is about the root, by its ID': (graph) => {
    const descriptor = graph.get('ro-crate-metadata.json');
    assert.deepEqual(listReferences(descriptor, 'about'), ['./']);
    assert.ok(graph.has('./'));
    assert.deepEqual(listReferences(descriptor, 'conformsTo'), ['https://w3id.org/ro/crate/1.2']);
  },
  'Root Data Entity: the root is a Dataset': (graph) => {
    assert.deepEqual([graph.get('./')?.['@type']].flat(), ['Dataset']);
  },
  'Root Data Entity: the root has a name and a description': (graph) => {
    for (const name of ['name', 'description']) assertText(graph.get('./')?.[name], name);
  },
  'Root Data Entity: the root has one date of publication': (graph) => {
    assertDate(graph.get('./')?.['datePublished'], 'datePublished');
  },
  'Root Data Entity: the root has a license with a name and a description': (graph) => {
    const [license, second] = follow(graph, graph.get('./'), 'license');
    assert.ok(license?.['name'] && license['description'] && !second);
  },
  'Root Data Entity: an identifier is text, or a PropertyValue with a value': (graph) => {
    const identifier = graph.get('./')?.['identifier'];
    if (identifier !== undefined) assertText(identifier, 'identifier');
  },
  'Provenance: an action has at least one object': (graph) => {
    for (const action of listByType(graph, 'CreateAction')) assert.ok(follow(graph, action, 'object').length > 0);
  },
  'Provenance: the times of an action are dates': (graph) => {
    for (const action of listByType(graph, 'CreateAction'))
      for (const name of ['startTime', 'endTime']) if (name in action) assertDate(action[name], name);
  },
  'Provenance: the status of an action is one of the four': (graph) => {
    for (const action of listByType(graph, 'CreateAction')) {
      const [status = '', second] = listReferences(action, 'actionStatus');
      assert.ok(actionStatuses.includes(status) && second === undefined, status);
    }
  },
  'Data Entities: every file is a part of the root': (graph) => {
    const parts = new Set(listReferences(graph.get('./'), 'hasPart'));
    for (const file of listByType(graph, 'File')) assert.ok(parts.has(file['@id']), file['@id']);
  },
  'Data Entities: the ID of a file is a relative path or local to the document': (graph) => {
    for (const { '@id': id } of listByType(graph, 'File')) {
      assert.ok(URL.canParse(id, 'https://example.org/crate/'), id);
      assert.ok(new URL(id, 'https://example.org/crate/').href.startsWith('https://example.org/crate/'), id);
    }
  },
  'Data Entities: every reference to a local ID is described': (graph) => {
    for (const entity of graph.values())
      for (const name of Object.keys(entity))
        for (const id of listReferences(entity, name)) if (id.startsWith('#')) assert.ok(graph.has(id), id);
  },
};
