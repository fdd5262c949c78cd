import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';
const secret = 'this must never be disclosed';

type Resource = Readonly<Record<string, unknown>>;

function formatPackage(resources: readonly object[], more: object = {}): string {
  return JSON.stringify({ ...more, resources });
}

describe('Data Packages in a database of the local service (D20)', () => {
  let rig: ServiceRig;

  before(async () => {
    rig = await ServiceRig.start({
      'datapackage.json': formatPackage(
        [
          { path: 'sub/a.csv', title: 'from above' },
          { path: 'sub/b.csv', title: 'from above' },
          { path: 'broken/c.csv', title: 'from above' },
        ],
        { title: 'The whole', version: '1.0' },
      ),
      'sub/datapackage.json': formatPackage([{ path: 'a.csv', title: 'from beside' }], { title: 'The part' }),
      'sub/a.csv': 'a',
      'sub/b.csv': 'b',
      'broken/datapackage.json': '{"resources": [',
      'broken/c.csv': 'c',
      'liar/datapackage.json': formatPackage([
        { path: 'd.csv', bytes: 5_000_000, hash: `md5:${'0'.repeat(32)}`, id: '../../outside.txt', modified: 'never' },
        ...[
          '../outside.txt',
          '../../outside.txt',
          '/etc/passwd',
          'file:///etc/passwd',
          '%2e%2e/outside.txt',
          'way-out/o.txt',
        ].map((path) => ({ path, title: 'of the outside' })),
        { path: 'not-there.csv', title: 'of the outside' },
        { name: 'inline', data: [secret] },
      ]),
      'liar/d.csv': 'the d',
      'tables/datapackage.json': formatPackage([{ path: 'e.csv', schema: 'schema.json' }]),
      'tables/schema.json': JSON.stringify({ fields: [{ name: 'depth', type: 'number' }] }),
      'tables/e.csv': 'depth',
    });
    await fs.writeFile(nodePath.join(rig.root, 'outside.txt'), secret);
    await fs.symlink('../..', nodePath.join(rig.source, 'liar', 'way-out'));
    await rig.restart({ whileStopped: () => rig.logged.splice(0) });
  });

  after(async () => await rig.stop());

  async function getFile(id: string): Promise<Resource> {
    const body = { database: 'Source Data', orcid, file_ids: [id] };
    const response = await rig.call('POST', '/api/v1/files/by-id', body);
    const [resource] = (response.body as { resources: Resource[] }).resources;
    assert.ok(resource);
    return resource;
  }

  it('describe a file by the nearest one that names it', async () => {
    const [a, b] = [await getFile('sub/a.csv'), await getFile('sub/b.csv')];
    assert.deepEqual([a['title'], a['package']], ['from beside', { title: 'The part' }]);
    assert.deepEqual([b['title'], b['package']], ['from above', { title: 'The whole', version: '1.0' }]);
  });

  it('do not hide the files of their folder when they are unreadable', async () => {
    assert.equal((await getFile('broken/c.csv'))['title'], 'from above');
    assert.deepEqual(await rig.find('path:broken/*'), ['broken/c.csv', 'broken/datapackage.json']);
  });

  it('are logged once when they are unreadable', async () => {
    const lines = rig.logged.filter((line) => line.includes('broken/datapackage.json'));
    assert.equal(lines.length, 1, rig.logged.join('\n'));
  });

  it('give a file the schema that they name by its path', async () => {
    assert.deepEqual((await getFile('tables/e.csv'))['schema'], { fields: [{ name: 'depth', type: 'number' }] });
  });

  it('cannot override the path, size and time of a file', async () => {
    const { path, bytes, modified } = await getFile('liar/d.csv');
    assert.deepEqual([path, bytes], ['liar/d.csv', 5]);
    assert.match(String(modified), /^\d{4}-/);
  });

  it('cannot add a file from outside the folder', async () => {
    assert.deepEqual(await rig.find('path:liar/*'), ['liar/d.csv', 'liar/datapackage.json']);
    const found = await rig.call('POST', '/api/v1/files', { database: 'Source Data', orcid, query: 'outside' });
    assert.deepEqual((found.body as { resources: unknown }).resources, []);
    assert.ok(!JSON.stringify(found.body).includes(secret));
  });

  it('state a hash that is returned unchanged, and that a transfer checks (D23)', async () => {
    assert.equal((await getFile('liar/d.csv'))['hash'], `md5:${'0'.repeat(32)}`);
    const status = await rig.waitForStatus(await rig.mustSubmit(['liar/d.csv']), 'succeeded', 'failed');
    assert.match(status.message, /could not read liar\/d\.csv: it does not have the md5 hash that its metadata states/);
  });
});

describe('Ids that a Data Package declares (D20)', () => {
  let rig: ServiceRig;

  before(async () => {
    rig = await ServiceRig.start({
      'datapackage.json': formatPackage([
        { path: 'one.csv', id: 'JDP:6101' },
        { path: 'twin-1.csv', id: 'JDP:twin' },
        { path: 'twin-2.csv', id: 'JDP:twin' },
        { path: 'thief.csv', id: 'plain.csv' },
        { path: 'comma.csv', id: 'JDP:a,JDP:b' },
        { path: ['part-1.csv', 'part-2.csv'], id: 'JDP:parts' },
        { path: 'number.csv', id: 7 },
      ]),
      ...Object.fromEntries(
        ['one', 'twin-1', 'twin-2', 'thief', 'plain', 'comma', 'part-1', 'part-2', 'number'].map((name) => [
          `${name}.csv`,
          name,
        ]),
      ),
    });
  });

  after(async () => await rig.stop());

  async function findIds(query: string, database = 'Source Data'): Promise<unknown[]> {
    const response = await rig.call('POST', '/api/v1/files', { database, orcid, query });
    return (response.body as { resources: { id: string }[] }).resources.map(({ id }) => id);
  }

  async function getPath(id: string): Promise<unknown> {
    const body = { database: 'Source Data', orcid, file_ids: [id] };
    const response = await rig.call('POST', '/api/v1/files/by-id', body);
    const resource = (response.body as { resources?: Resource[] }).resources?.[0];
    if (resource !== undefined) assert.equal(resource['id'], id);
    return resource?.['path'];
  }

  it('identify the files, which are also found by their paths and by the words of their ids', async () => {
    assert.deepEqual(await findIds('one.csv'), ['JDP:6101']);
    assert.deepEqual(await findIds('JDP:6101'), ['JDP:6101']);
    assert.deepEqual([await getPath('JDP:6101'), await getPath('one.csv')], ['one.csv', 'one.csv']);
  });

  it('are ignored if two files share one, if one equals the path of another file, or if invalid', async () => {
    const served = await findIds('');
    const paths = ['twin-1', 'twin-2', 'thief', 'plain', 'comma', 'part-1', 'part-2', 'number'];
    for (const name of paths) assert.ok(served.includes(`${name}.csv`), `${name}: ${served.join(' ')}`);
    assert.equal(await getPath('plain.csv'), 'plain.csv');
    assert.equal(await getPath('JDP:twin'), undefined);
  });

  it('select the files of a transfer once each, and do not become ids at the destination', async () => {
    assert.equal((await rig.submit(['JDP:6101', 'one.csv'])).status, 422);
    const id = await rig.mustSubmit(['JDP:6101']);
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
    const manifest = await fs.readFile(nodePath.join(rig.target, `dts-${id}`, 'manifest.json'), 'utf8');
    assert.equal((JSON.parse(manifest) as { resources: Resource[] }).resources[0]?.['id'], 'JDP:6101');
    assert.deepEqual(await findIds('one.csv', 'Target'), [`dts-${id}/one.csv`]);
  });
});
