import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { serviceVersion } from '../../src/service/version.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';

interface Resource {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly path: string;
}

function listResources(body: unknown): Resource[] {
  return (body as { resources: Resource[] }).resources;
}

const dataPackage = {
  licenses: [{ name: 'CC0-1.0' }],
  resources: [
    { name: 'Cars', path: 'cars.json', title: 'Cars of the world', bytes: 1, hash: 'sha256:00ff', keywords: ['motor'] },
    { path: '../outside.txt', title: 'Never' },
    { path: 'missing.csv', title: 'Never' },
  ],
};

describe('The files of the local service', () => {
  let rig: ServiceRig;

  before(async () => {
    rig = await ServiceRig.start({
      'readme.md': '# hello',
      'data/datapackage.json': JSON.stringify(dataPackage),
      'data/cars.json': '[]',
      'data/Größe, 100%.csv': 'a,b',
      'data/.hidden': 'x',
      '.git/config': 'x',
      'data/late.txt.part-12345678-1234-1234-1234-123456789012': 'x',
      'data/control\u0007\n.txt': 'x',
    });
    await fs.writeFile(nodePath.join(rig.root, 'outside.txt'), 'secret');
    await fs.symlink('../outside.txt', nodePath.join(rig.source, 'leads-out.txt'));
    await fs.symlink('readme.md', nodePath.join(rig.source, 'leads-in.md'));
    await fs.symlink('..', nodePath.join(rig.source, 'up'));
    await fs.writeFile(Buffer.concat([Buffer.from(`${rig.source}/bad-`), Buffer.from([0xff])]), 'x');
    await rig.restart();
  });

  after(async () => await rig.stop());

  async function search(body: object): Promise<{ status: number; body: unknown }> {
    return await rig.call('POST', '/api/v1/files', { database: 'Source Data', orcid, query: '', ...body });
  }

  it('rejects a cursor that it did not send, and names the field (D9)', async () => {
    for (const cursor of ['', 'abc', Buffer.from('0/1/x/a').toString('base64url')]) {
      const { status, body } = await search({ cursor });
      const message = 'cursor must be the cursor of a response to a search';
      assert.deepEqual([status, (body as ProblemDocument).errors], [422, [{ message, location: 'body.cursor' }]]);
    }
  });

  it('counts the offset from the cursor, and sends no cursor after the last page (D9)', async () => {
    const all = listResources((await search({})).body).map(({ path }) => path);
    const first = await search({ limit: 1 });
    const { cursor } = first.body as { readonly cursor: string };
    const rest = await search({ cursor, offset: 1, limit: 1_000 });
    assert.deepEqual(
      listResources(rest.body).map(({ path }) => path),
      all.slice(2),
    );
    assert.equal('cursor' in (rest.body as object), false);
  });

  it('returns the root with name and version (§2.1), and what it can do beyond the contract', async () => {
    const { body } = await rig.call('GET', '/');
    assert.deepEqual(body, {
      name: 'Data Transfer Local Service',
      version: serviceVersion,
      features: ['instructions.folder', 'files.content', 'instructions.then'],
    });
  });

  it('lists the databases with all four fields (§4.2), and the listing of one that leaves names out', async () => {
    const { body } = await rig.call('GET', '/api/v1/databases');
    assert.deepEqual(body, [
      {
        id: 'source-data',
        name: 'Source Data',
        organization: 'Lab',
        url: `file://${rig.source}/`,
        listing: { state: 'listed', files: 6, leftOut: { hidden: 2, outsideLinks: 2, invalidNames: 1 } },
      },
      { id: 'target', name: 'Target', organization: '', url: `file://${rig.target}/` },
    ]);
  });

  it('returns one database by name and by id, and 404 for another (D26)', async () => {
    const byName = await rig.call('GET', '/api/v1/databases/Source%20Data');
    const byId = await rig.call('GET', '/api/v1/databases/source-data');
    assert.deepEqual(byName.body, byId.body);
    assert.equal((await rig.call('GET', '/api/v1/databases/nothing')).status, 404);
  });

  it('returns the search parameters of a database, and 404 for another (D26)', async () => {
    const { body } = await rig.call('GET', '/api/v1/databases/target/search-parameters');
    const sorts = ['relevance', 'path', 'name', 'bytes', 'modified'];
    assert.deepEqual((body as Record<string, unknown>)['sort'], { type: 'array(string)', value: sorts });
    assert.equal((await rig.call('GET', '/api/v1/databases/nothing/search-parameters')).status, 404);
  });

  it('serves files only: nothing hidden, unfinished, or behind a link out of the folder (D20)', async () => {
    assert.deepEqual(await rig.find(''), [
      'data/Größe, 100%.csv',
      'data/cars.json',
      'data/control\u0007\n.txt',
      'data/datapackage.json',
      'leads-in.md',
      'readme.md',
    ]);
  });

  it('serves a file with the metadata of its Data Package, but its actual size (D20)', async () => {
    const [car] = listResources((await search({ query: 'motor' })).body);
    const { modified, ...rest } = car ?? { modified: '' };
    assert.match(String(modified), /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual(rest, {
      id: 'data/cars.json',
      name: 'cars',
      path: 'data/cars.json',
      title: 'Cars of the world',
      format: 'json',
      mediatype: 'application/json',
      bytes: 2,
      hash: 'sha256:00ff',
      keywords: ['motor'],
      licenses: [{ name: 'CC0-1.0' }],
    });
  });

  it('gives every resource a valid name for a data resource (§2.3)', async () => {
    for (const resource of listResources((await search({})).body)) {
      assert.match(String(resource['name']), /^[-a-z0-9._/]+$/);
    }
  });

  it('returns ids that can be joined by commas and requested in both forms, in the requested order (§4.4, D8)', async () => {
    const ids = listResources((await search({})).body)
      .map((resource) => resource.id)
      .reverse();
    assert.ok(ids.every((id) => !id.includes(',')));
    const query = new URLSearchParams({ database: 'Source Data', orcid, ids: ids.join(',') });
    const byGet = await rig.call('GET', `/api/v1/files/by-id?${query.toString()}`);
    const byPost = await rig.call('POST', '/api/v1/files/by-id', { database: 'source-data', orcid, file_ids: ids });
    assert.deepEqual(
      listResources(byGet.body).map((resource) => resource.id),
      ids,
    );
    assert.deepEqual(byPost.body, byGet.body);
  });

  it('returns a repeated id once (§4.4)', async () => {
    const body = { database: 'Source Data', orcid, file_ids: ['readme.md', 'leads-in.md', 'readme.md'] };
    const response = await rig.call('POST', '/api/v1/files/by-id', body);
    assert.deepEqual(
      listResources(response.body).map((resource) => resource.id),
      ['readme.md', 'leads-in.md'],
    );
  });

  it('pages metadata by offset and limit (§4.4)', async () => {
    const query = 'database=target-none&orcid=x&ids=a';
    assert.equal((await rig.call('GET', `/api/v1/files/by-id?${query}`)).status, 404);
    const good = 'database=source-data&orcid=x&ids=readme.md,leads-in.md,data/cars.json&offset=1&limit=1';
    const response = await rig.call('GET', `/api/v1/files/by-id?${good}`);
    assert.deepEqual(
      listResources(response.body).map((resource) => resource.id),
      ['leads-in.md'],
    );
  });

  const mistakes: [query: string, message: string][] = [
    ['bytes:>', 'query has no valid size after "bytes:" at character 1: write a number and a unit, as in bytes:>1MB'],
    ['soil "never closed', 'query has a quotation mark at character 6 that is not closed'],
    ['path:', 'query has nothing after "path:" at character 1'],
    [
      'minBytes:1000',
      'query has an unknown condition "minBytes:" at character 1; the known ones are format:, path:, bytes:. To search for the words, put them in quotation marks',
    ],
  ];
  for (const [query, message] of mistakes) {
    it(`rejects the query ${query} with the position of the mistake (D21)`, async () => {
      const response = await search({ query });
      assert.equal(response.status, 422);
      assert.deepEqual((response.body as ProblemDocument).errors, [{ message, location: 'body.query' }]);
    });
  }

  const wrongQueries: [query: string, location: string][] = [
    ['orcid=x&ids=a', 'query.database'],
    ['database=target&ids=a', 'query.orcid'],
    ['database=target&orcid=&ids=a', 'query.orcid'],
    ['database=target&orcid=x', 'query.ids'],
    ['database=target&orcid=x&ids=,', 'query.ids'],
    ['database=target&orcid=x&ids=a&offset=-1', 'query.offset'],
    ['database=target&orcid=x&ids=a&offset=1.5', 'query.offset'],
    ['database=target&orcid=x&ids=a&limit=0', 'query.limit'],
    ['database=target&orcid=x&ids=a&limit=x', 'query.limit'],
  ];
  for (const [query, location] of wrongQueries) {
    it(`responds with 422 to files/by-id?${query} and names ${location}`, async () => {
      const response = await rig.call('GET', `/api/v1/files/by-id?${query}`);
      assert.equal(response.status, 422);
      assert.equal((response.body as ProblemDocument).errors?.[0]?.location, location);
    });
  }

  const wrongBodies: [fields: object, status: number, location: string | undefined][] = [
    [{ database: undefined }, 422, 'body.database'],
    [{ database: 'nothing' }, 404, 'body.database'],
    [{ database: 5 }, 422, 'body.database'],
    [{ orcid: undefined }, 422, 'body.orcid'],
    [{ orcid: ' ' }, 422, 'body.orcid'],
    [{ query: 5 }, 422, 'body.query'],
    [{ status: 'ready' }, 422, 'body.status'],
    [{ offset: -1 }, 422, 'body.offset'],
    [{ offset: 1.5 }, 422, 'body.offset'],
    [{ offset: '1' }, 422, 'body.offset'],
    [{ limit: 0 }, 422, 'body.limit'],
    [{ specific: [] }, 422, 'body.specific'],
    [{ specific: { colour: 'red' } }, 422, 'body.specific.colour'],
    [{ specific: { minBytes: '5' } }, 422, 'body.specific.minBytes'],
    [{ specific: { format: 5 } }, 422, 'body.specific.format'],
    [{ specific: { sort: 'size' } }, 422, 'body.specific.sort'],
    [{ specific: { modifiedAfter: 'yesterday' } }, 422, 'body.specific.modifiedAfter'],
    [{ query: 'a '.repeat(201) }, 422, 'body.query'],
  ];
  for (const [fields, status, location] of wrongBodies) {
    it(`responds with ${status} to a search with ${JSON.stringify(fields).slice(0, 60)} (§4.3)`, async () => {
      const response = await search(fields);
      assert.equal(response.status, status);
      assert.equal((response.body as ProblemDocument).errors?.[0]?.location, location);
    });
  }

  it('finds the requested files, with hostile queries as words (D21)', async () => {
    assert.deepEqual(await rig.find('grosse | größe'), ['data/Größe, 100%.csv']);
    for (const query of ['""', 'a"" OR 1=1', 'NEAR(', '*:*', "'); DROP TABLE files"]) {
      assert.ok(Array.isArray(await rig.find(query)), query);
    }
  });

  it('returns pages that together contain every file once (§4.3)', async () => {
    const all = await rig.find('');
    const pages: string[] = [];
    for (let offset = 0; offset < all.length + 2; offset += 2) {
      pages.push(...(await rig.find('', { offset, limit: 2 })));
    }
    assert.deepEqual(pages, all);
    assert.deepEqual(await rig.find('', { offset: 4 }), all.slice(4));
  });

  it('detects added and removed files', async () => {
    const file = nodePath.join(rig.source, 'new-one.txt');
    await fs.writeFile(file, 'x');
    await eventually(async () => ((await rig.find('new-one')).length === 1 ? true : undefined));
    await fs.rm(file);
    const gone = await eventually(async () => ((await rig.find('new-one')).length === 0 ? true : undefined));
    assert.ok(gone);
  });
});
