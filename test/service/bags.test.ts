import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { eventually } from '../support/eventually.ts';
import { CliRig } from './cliRig.ts';

const payload = { 'data/a.csv': 'one\n', 'data/sub/b.txt': 'two\n', 'data/50% x.txt': '100', 'data/.hidden': 'h' };

/** Returns the files of a bag with a manifest of its payload, as bagit.py writes them. */
function bag(folder: string, algorithm: string, files: Readonly<Record<string, string>> = payload) {
  const lines = Object.entries(files).map(
    ([path, text]) => `${createHash(algorithm).update(text).digest('hex')}  ${path}\n`,
  );
  const all = {
    ...files,
    'bagit.txt': 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n',
    [`manifest-${algorithm}.txt`]: lines.join(''),
  };
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`${folder}/${path}`, text]));
}

describe('A BagIt bag in a database of the local service (D20)', () => {
  let rig: CliRig;
  let service: CliRig['service'];

  beforeEach(async () => {
    rig = await CliRig.start({ ...bag('good', 'sha256'), ...bag('bad', 'md5'), 'loose/manifest-md5.txt': 'no bag' });
    ({ service } = rig);
  });
  afterEach(() => rig.stop());

  const search = async (folder: string) => {
    const request = { database: 'Source Data', orcid: 'me', query: '', specific: { folder } };
    const { body } = await service.call('POST', '/api/v1/files', request);
    return body as { resources: { path: string; hash?: string }[]; leftOut: object };
  };

  it('gives its payload the hashes of its manifest, which a transfer checks (D23)', async () => {
    const { resources } = await search('bad');
    const hashes = Object.fromEntries(resources.map(({ path, hash }) => [path, hash]));
    assert.equal(hashes['bad/data/a.csv'], 'md5:5bbf5a52328e7439ae6e719dfe712200');
    assert.equal(hashes['bad/bagit.txt'], undefined);
    await service.write({ 'bad/data/a.csv': 'ONE\n' });
    const transfer = async (folder: string) => {
      const { resources: files } = await search(folder);
      const id = await service.mustSubmit(files.map(({ path }) => path.replaceAll('%', '%25')));
      return await service.waitForStatus(id, 'succeeded', 'failed');
    };
    assert.equal((await transfer('good')).status, 'succeeded');
    const { status, message } = await transfer('bad');
    assert.equal(status, 'failed');
    assert.match(message, /could not read bad\/data\/a\.csv: it does not have the md5 hash that its metadata states/);
  });

  it('is searched with the number of files that its manifest lists and it lacks', async () => {
    const leftOutIn = async (folder: string) => (await search(folder)).leftOut;
    assert.deepEqual(await leftOutIn('good'), { hidden: 1 });
    await fs.rm(nodePath.join(service.source, 'good/data/sub'), { recursive: true });
    const isMissing = async (folder: string): Promise<true | undefined> =>
      'missingFiles' in (await leftOutIn(folder)) ? true : undefined;
    await eventually(() => isMissing('good'));
    assert.deepEqual(await leftOutIn('good'), { hidden: 1, missingFiles: 1 });
    assert.deepEqual(await leftOutIn('good/data/sub'), { missingFiles: 1 });
    assert.deepEqual(await leftOutIn('bad'), { hidden: 1 });
    assert.deepEqual(await leftOutIn(''), { hidden: 2, missingFiles: 1 });
    const { stderr } = await rig.run('search', 'Source Data', '--folder', 'good');
    assert.match(stderr, /hidden names \(1\), missing files of a package or bag \(1\)/);
    assert.ok(
      service.logged.includes('Source Data: files that a package or bag lists are missing (1): good/data/sub/b.txt'),
    );
    await service.write({ 'good/data/sub/b.txt': 'two\n' });
    await eventually(async () => ((await isMissing('good')) ? undefined : true));
  });

  it('follows a change of its manifest', async () => {
    await service.write({
      'good/manifest-sha256.txt': `${'0'.repeat(64)} *data/a.csv\r\n${'1'.repeat(64)}\tdata/no.csv\r\n`,
    });
    const found = await eventually(async () => {
      const result = await search('good');
      return 'missingFiles' in result.leftOut ? result : undefined;
    });
    assert.equal(found.resources.find(({ path }) => path === 'good/data/a.csv')?.hash, `sha256:${'0'.repeat(64)}`);
  });
});

describe('A Data Package in a database of the local service', () => {
  it('is searched with the number of files that it lists and its folder lacks', async () => {
    const resources = ['there.csv', 'gone.csv', 'exp.zarr', 'https://example.org/x.csv', '../out.csv'];
    const rig = await CliRig.start({
      'pack/datapackage.json': JSON.stringify({ resources: resources.map((path) => ({ path })) }),
      'pack/there.csv': '1',
      'pack/exp.zarr/.zgroup': '{}',
    });
    try {
      const request = { database: 'Source Data', orcid: 'me', query: '', specific: { folder: 'pack' } };
      const { body } = await rig.service.call('POST', '/api/v1/files', request);
      assert.deepEqual((body as { leftOut: object }).leftOut, { missingFiles: 1 });
    } finally {
      await rig.stop();
    }
  });
});
