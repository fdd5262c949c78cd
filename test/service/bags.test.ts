import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
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
    return body as { resources: { path: string; hash?: string }[] };
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

  it('follows a change of its manifest', async () => {
    await service.write({
      'good/manifest-sha256.txt': `${'0'.repeat(64)} *data/a.csv\r\n${'1'.repeat(64)}\tdata/no.csv\r\n`,
    });
    await eventually(async () => {
      const { resources } = await search('good');
      const found = resources.find(({ path }) => path === 'good/data/a.csv');
      return found?.hash === `sha256:${'0'.repeat(64)}` ? true : undefined;
    });
  });
});
