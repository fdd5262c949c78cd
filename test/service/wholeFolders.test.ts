import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { eventually } from '../support/eventually.ts';
import { CliRig } from './cliRig.ts';

/** A Zarr 2 store, and what a folder of a lab has beside it. */
const files = {
  'exp.zarr/.zgroup': '{"zarr_format": 2}',
  'exp.zarr/.zattrs': '{}',
  'exp.zarr/.zmetadata': '{}',
  'exp.zarr/temp/.zarray': '{}',
  'exp.zarr/temp/0.0': 'abc',
  'exp.zarr2/x': 'x',
  'EXP.zarr/y': 'y',
  'notes/exp.zarr/z': 'z',
  '.git/annex/objects/aa/KEY': 'content',
  'snapshots/main/data.csv': '1,2',
};
const zarr = Object.keys(files).filter((path) => path.startsWith('exp.zarr/'));

describe('A folder as a whole', () => {
  let rig: CliRig;
  let service: CliRig['service'];

  beforeEach(async () => {
    rig = await CliRig.start(files);
    ({ service } = rig);
  });
  afterEach(() => rig.stop());

  const link = async (target: string, path: string): Promise<void> => {
    await fs.mkdir(nodePath.dirname(nodePath.join(service.source, path)), { recursive: true });
    await fs.symlink(target, nodePath.join(service.source, path));
  };
  /** Returns the body of a search for all files of a folder, with the paths of its files. */
  const search = async (folder: string, more: object = {}): Promise<{ paths: string[]; leftOut: unknown }> => {
    const request = { database: 'Source Data', orcid: 'me', query: '', specific: { folder }, ...more };
    const { body } = await service.call('POST', '/api/v1/files', request);
    const { resources, leftOut } = body as { resources: { path: string }[]; leftOut?: unknown };
    return { paths: resources.map(({ path }) => path), leftOut };
  };

  it('is found by its exact path, with the names that its format prescribes', async () => {
    const expected = { paths: zarr.toSorted(), leftOut: {} };
    for (const folder of ['exp.zarr', 'exp.zarr/', './exp.zarr', '/exp.zarr'])
      assert.deepEqual(await search(folder), expected, folder);
    assert.deepEqual(await search('exp.zarr', { query: 'temp' }), {
      paths: ['exp.zarr/temp/.zarray', 'exp.zarr/temp/0.0'],
      leftOut: undefined,
    });
    assert.deepEqual(await search('exp.zarr', { limit: 1, offset: 4 }), {
      paths: ['exp.zarr/temp/0.0'],
      leftOut: undefined,
    });
    assert.deepEqual((await search('exp')).paths, []);
    assert.deepEqual((await search('zzz')).paths, []);
  });

  it('is searched with what is left out, by reason', async () => {
    await link('../.git/annex/objects/aa/KEY', 'snapshots/there.bin');
    await link('../.git/annex/objects/bb/KEY', 'snapshots/dropped.bin');
    await link('/etc/hostname', 'snapshots/host');
    await link('main', 'snapshots/latest');
    await service.write({ 'snapshots/main/.cache/x': '', 'snapshots/main/.part': '' });
    const leftOut = { hidden: 2, missingContent: 1, outsideLinks: 1, folderLinks: 1 };
    await eventually(async () => {
      const found = await search('snapshots');
      return Object.keys(found.leftOut as object).length === 4 ? found : undefined;
    });
    assert.deepEqual(await search('snapshots'), {
      paths: ['snapshots/main/data.csv', 'snapshots/there.bin'],
      leftOut,
    });
    assert.deepEqual((await search('snapshots/main')).leftOut, { hidden: 2 });
    assert.deepEqual(await search('snapshots/latest'), { paths: [], leftOut: { folderLinks: 1 } });
    assert.deepEqual(await search('.git/annex'), { paths: [], leftOut: { hidden: 1 } });
    assert.deepEqual(await search('snapshot'), { paths: [], leftOut: undefined }, 'a folder that does not exist');
    const { body } = await service.call('GET', '/api/v1/databases/source-data');
    const { listing } = body as { listing: { state: string; leftOut: unknown } };
    assert.deepEqual([listing.state, listing.leftOut], ['listed', { ...leftOut, hidden: 3 }]);
    await service.call('POST', '/databases/source-data/scans');
    const text = 'Source Data: links to nothing (1): snapshots/dropped.bin';
    await eventually(async () => await Promise.resolve(service.logged.includes(text) || undefined));
  });

  it('forgets what is no longer left out', async () => {
    await link('../missing', 'snapshots/dropped.bin');
    await eventually(async () => ((await search('snapshots')).leftOut as object | undefined) ?? undefined);
    await service.write({ missing: 'here' });
    await service.call('POST', '/databases/source-data/scans');
    await eventually(async () => ((await search('snapshots')).paths.length === 2 ? true : undefined));
    assert.deepEqual((await search('snapshots')).leftOut, {});
    assert.deepEqual((await search('')).leftOut, { hidden: 1 });
  });

  it('is transferred from the content behind its links', async () => {
    await link('../../.git/annex/objects/aa/KEY', 'snapshots/main/there.bin');
    await eventually(async () => ((await search('snapshots')).paths.length === 2 ? true : undefined));
    const id = await service.mustSubmit((await search('snapshots')).paths);
    const status = await service.waitForStatus(id, 'succeeded', 'failed');
    assert.equal(status.status, 'succeeded');
    const copy = nodePath.join(service.target, `dts-${id}`, 'snapshots/main/there.bin');
    assert.equal(await fs.readFile(copy, 'utf8'), 'content');
    assert.ok((await fs.lstat(copy)).isFile());
  });

  it('is transferred without its credit in each entry of the manifest', async () => {
    await service.write({ 'snapshots/CITATION.cff': 'title: Snapshots\nauthors:\n  - name: Sea Lab\n' });
    const isCredited = async (): Promise<boolean> => {
      const request = { database: 'Source Data', orcid: 'me', query: 'data.csv' };
      const { body } = await service.call('POST', '/api/v1/files', request);
      return JSON.stringify(body).includes('Sea Lab');
    };
    await eventually(async () => ((await isCredited()) ? true : undefined));
    const id = await service.mustSubmit(['snapshots/main/data.csv']);
    assert.equal((await service.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
    const manifest = await fs.readFile(nodePath.join(service.target, `dts-${id}`, 'manifest.json'), 'utf8');
    assert.deepEqual([manifest.includes('data.csv'), manifest.includes('Sea Lab')], [true, false]);
  });

  it('is searched and transferred by the command line, which states its completeness', async () => {
    await service.write({ 'exp.zarr/.cache': '' });
    await eventually(async () =>
      Object.keys((await search('exp.zarr')).leftOut as object).length > 0 ? true : undefined,
    );
    const found = await rig.run('search', 'Source Data', '--folder', 'exp.zarr');
    assert.deepEqual([found.code, found.stderr], [0, 'Left out: hidden names (1).\n']);
    const { files: listed, leftOut } = await rig.runJson(0, 'search', 'Source Data', '--folder', 'exp.zarr');
    assert.deepEqual([(listed as unknown[]).length, leftOut], [5, { hidden: 1 }]);
    const whole = await rig.run('search', 'Source Data');
    assert.match(whole.stderr, /^Left out: hidden names \(2\)\.\n$/);
    assert.equal((await rig.run('search', 'Source Data', 'csv')).stderr, '');

    const sent = await rig.run('transfer', 'Source Data', 'Target', '--folder', 'exp.zarr', '--wait', '--json');
    assert.match(sent.stderr, /^exp\.zarr: 5 files, 27 B, left out: hidden names \(1\)\.\n/);
    const { transfer, folder } = JSON.parse(sent.stdout) as { transfer: { id: string }; folder: unknown };
    assert.deepEqual(folder, { path: 'exp.zarr', files: 5, bytes: 27, leftOut: { hidden: 1 } });
    const copy = nodePath.join(service.target, `dts-${transfer.id}`, 'exp.zarr');
    assert.deepEqual((await fs.readdir(copy)).sort(), ['.zattrs', '.zgroup', '.zmetadata', 'temp']);

    const nothing = await rig.run('transfer', 'Source Data', 'Target', '--folder', 'exp');
    assert.deepEqual([nothing.code, nothing.stderr], [4, 'Nothing was sent. There are no files in exp.\n']);
    const both = await rig.run('transfer', 'Source Data', 'Target', 'a', '--folder', 'exp');
    assert.deepEqual([both.code, both.stderr.startsWith('Give either IDs or --folder.')], [2, true]);
    const empty = await rig.run('transfer', 'Source Data', 'Target', '--folder', '');
    assert.deepEqual([empty.code, empty.stderr.startsWith('--folder is empty. "--folder /" transfers')], [2, true]);
  });

  it('is the content of a recipe, whose dry run and run state its completeness', async () => {
    const recipe = nodePath.join(service.root, 'exp.transfer.json');
    const from = { database: 'Source Data', folder: 'exp.zarr/' };
    await fs.writeFile(recipe, JSON.stringify({ from, to: { database: 'Target' } }));
    const plan = await rig.run('run', recipe, '--dry-run');
    assert.match(plan.stdout, /^5 files, 27 B\nnot run yet\nexp\.zarr\/: nothing left out\n/);
    const document = await rig.runJson(0, 'run', recipe, '--dry-run');
    assert.deepEqual([document['files'], document['leftOut']], [5, {}]);
    const run = await rig.run('run', recipe, '--wait');
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stderr, /^exp\.zarr\/: nothing left out\n/);
  });
});
