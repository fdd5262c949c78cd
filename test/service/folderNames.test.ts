import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { TestLease, LeasedFolder } from '../support/heldLease.ts';
import { ServiceRig } from '../support/serviceRig.ts';

describe('The ids and names of folders (D20, D29)', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' }, { shared: true });
  });
  afterEach(() => rig.stop());

  async function folder(path: string, name = nodePath.basename(path)): Promise<LeasedFolder> {
    const absolute = nodePath.join(rig.root, path);
    await fs.mkdir(absolute, { recursive: true });
    return { name, folder: absolute };
  }

  const called = (lease: TestLease): string[] => lease.databases.map(({ id, name }) => `${id}: ${name}`);

  it('are assigned once for two folders with one name, and persist over a restart in another order', async () => {
    const [one, two] = [await folder('one/data'), await folder('two/data')];
    assert.deepEqual(called(await rig.lease([one])), ['data: data']);
    assert.deepEqual(called(await rig.lease([two])), ['data-2: data (2)']);
    await rig.restart({ shared: true });
    assert.deepEqual(called(await rig.lease([two])), ['data-2: data (2)']);
    assert.deepEqual(called(await rig.lease([two, one])), ['data-2: data (2)', 'data: data']);
    assert.deepEqual(await rig.names(), ['data (2)', 'data']);
  });

  it('are assigned one after the other for concurrent leases', async () => {
    const folders = await Promise.all([0, 1, 2, 3, 4].map(async (number) => await folder(`${number}/data`)));
    const all = await Promise.all(folders.map(async (one) => await rig.lease([one])));
    const expected = ['data-2: data (2)', 'data-3: data (3)', 'data-4: data (4)', 'data-5: data (5)', 'data: data'];
    assert.deepEqual(all.flatMap(called).sort(), expected);
  });

  it('change to a newly requested name, with the same id', async () => {
    const one = await folder('one');
    await rig.lease([one]);
    const renamed = { ...one, name: 'Lab Share', organization: 'Lab' };
    assert.deepEqual(called(await rig.lease([renamed])), ['one: Lab Share']);
    assert.deepEqual((await rig.call('GET', '/api/v1/databases/one')).body, {
      id: 'one',
      name: 'Lab Share',
      organization: 'Lab',
      url: `file://${one.folder}/`,
    });
  });

  it('remain the same when a folder is moved', async () => {
    const before = await folder('before', 'Lab Share');
    const lease = await rig.lease([before]);
    lease.disconnect();
    await rig.restart({ shared: true });
    const after = nodePath.join(rig.root, 'after');
    await fs.rename(before.folder, after);
    assert.deepEqual(called(await rig.lease([{ ...before, folder: after }])), ['lab-share-2: Lab Share']);
  });

  it('come from the configuration, even if another folder had them', async () => {
    await rig.lease([await folder('elsewhere', 'Target'), { name: 'Source', folder: rig.source }]);
    await rig.restart({ shared: true, configured: true });
    assert.deepEqual(await rig.names(), ['Source Data', 'Target']);
    assert.deepEqual(called(await rig.lease([await folder('elsewhere', 'Target')])), ['target: Target (2)']);
  });

  it('differ for a folder that replaces a link to another folder', async () => {
    const link = nodePath.join(rig.root, 'link');
    await fs.symlink(rig.source, link);
    assert.deepEqual(called(await rig.lease([{ name: 'Link', folder: link }])), ['link: Link']);
    await rig.restart({ shared: true });
    await fs.rm(link);
    const linked = await folder('link', 'Link');
    const lease = await rig.lease([{ name: 'Source', folder: rig.source }, linked]);
    assert.deepEqual(called(lease), ['source: Source', 'link: Link']);
  });

  it('are reassigned if the file of stored names is unreadable, which is renamed', async () => {
    const file = nodePath.join(rig.root, 'data', 'databases.json');
    await rig.lease();
    await fs.writeFile(file, '{"folders": [{');
    await rig.restart({ shared: true });
    assert.deepEqual(called(await rig.lease()), ['source-data: Source Data', 'target: Target']);
    assert.equal(await fs.readFile(`${file}.aside`, 'utf8'), '{"folders": [{');
    assert.match(rig.logged.join('\n'), /names of served folders could not be read/);
  });
});
