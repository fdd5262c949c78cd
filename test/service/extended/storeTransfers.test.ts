import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { StoreRig } from '../../support/storeRig.ts';
import { plantedSecrets, storeKinds, type StoreKind } from '../../support/storeServers.ts';

const large = randomBytes(3_000_000);
const files = {
  'a.txt': 'a',
  'empty.txt': '',
  'deep/er/b, 100%.csv': 'x,y\n',
  'naïve – ü.txt': 'ü',
  'large.bin': large,
};

/** The verification method for each server: a hash that Node.js can also compute, or reading the copy back. */
const methods: Readonly<Partial<Record<StoreKind, string>>> = {
  sftp: 'md5',
  dav: 'reading back',
  s3: 'md5',
  openssh: 'md5',
  apache: 'reading back',
};

interface Manifest {
  readonly resources: readonly { readonly path: string; readonly hash: string }[];
}

function assertManifest(text: string, expected: readonly string[]): void {
  const { resources } = JSON.parse(text) as Manifest;
  assert.deepEqual(resources.map(({ path }) => path).sort(), [...expected].sort());
  for (const { path, hash } of resources) {
    const content = files[path as keyof typeof files];
    assert.equal(hash, `sha256:${createHash('sha256').update(content).digest('hex')}`, path);
  }
}

describe('Transfers from and to stores (D62)', () => {
  let rig: StoreRig;

  before(async () => {
    const filesOfAll = Object.fromEntries(storeKinds.map((kind) => [kind, files]));
    rig = await StoreRig.start(storeKinds, filesOfAll);
  });
  after(async () => await rig.stop());

  async function findIds(database: string): Promise<string[]> {
    await rig.waitForListing(database);
    const found = await rig.find(database);
    return found.filter(({ path }) => !path.startsWith('dts-')).map(({ id }) => id);
  }

  for (const kind of storeKinds) {
    it(`write the objects of ${kind} to a folder, and report how they were verified`, async () => {
      const status = await rig.transfer(kind, 'folder', await findIds(kind));
      const text = `Transfer ${status.id}: completed successfully, verified by ${methods[kind]}`;
      assert.deepEqual([status.message, status.num_files_transferred], [text, 5]);
      const folder = nodePath.join(rig.folder, `dts-${status.id}`);
      for (const [path, content] of Object.entries(files)) {
        assert.deepEqual(await fs.readFile(nodePath.join(folder, path)), Buffer.from(content), path);
      }
      assertManifest(await fs.readFile(nodePath.join(folder, 'manifest.json'), 'utf8'), Object.keys(files));
      const names = await fs.readdir(folder, { recursive: true });
      assert.deepEqual(
        names.filter((name) => name.includes('.part-')),
        [],
      );
    });

    it(`write the files of a folder to ${kind}, and report how they were verified`, async () => {
      for (const [path, content] of Object.entries(files)) {
        const file = nodePath.join(rig.folder, 'out', path);
        await fs.mkdir(nodePath.dirname(file), { recursive: true });
        await fs.writeFile(file, content);
      }
      const found = await eventually(async () => {
        const out = await rig.findPaths('folder', 'path:out/');
        return out.length === 5 ? out : undefined;
      });
      const status = await rig.transfer(
        'folder',
        kind,
        found.map((path) => path.replaceAll('%', '%25').replaceAll(',', '%2C')),
      );
      const text = `Transfer ${status.id}: completed successfully, verified by ${methods[kind]}`;
      assert.equal(status.message, text);
      const base = rig.servers.remote(kind).endsWith(':') ? rig.servers.remote(kind) : `${rig.servers.remote(kind)}/`;
      const names = Object.keys(files).map((path) => `out/${path}`);
      assert.deepEqual(rig.servers.list(`${base}dts-${status.id}`), ['manifest.json', ...names].sort());
      for (const [path, content] of Object.entries(files)) {
        assert.deepEqual(rig.servers.read(`${base}dts-${status.id}/out/${path}`), Buffer.from(content), path);
      }
      await eventually(async () => {
        const transferred = await rig.findPaths(kind, `path:dts-${status.id}/`);
        return transferred.length === 6 ? true : undefined;
      });
    });
  }

  it('move files from one store to another', async () => {
    const status = await rig.transfer('sftp', 's3', await findIds('sftp'));
    assert.equal(status.message, `Transfer ${status.id}: completed successfully, verified by md5`);
    for (const [path, content] of Object.entries(files)) {
      assert.deepEqual(rig.servers.read(`s3:lab/dts-${status.id}/${path}`), Buffer.from(content), path);
    }
    assertManifest(rig.servers.read(`s3:lab/dts-${status.id}/manifest.json`).toString(), Object.keys(files));
  });

  it('leave no secret of the remotes in log, journal, catalogs and responses', async () => {
    await rig.call('POST', '/api/v1/files', { database: 'gone', orcid: 'x', query: '' });
    const names = await fs.readdir(rig.data, { recursive: true, withFileTypes: true });
    const contents = names
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        return (await fs.readFile(nodePath.join(entry.parentPath, entry.name))).toString('latin1');
      });
    const answers = JSON.stringify((await rig.call('GET', '/api/v1/databases')).body);
    const all = [rig.log, answers, ...(await Promise.all(contents))].join('\n');
    assert.ok(all.includes('dts-') || all.length > 10_000);
    for (const secret of plantedSecrets) assert.ok(!all.includes(secret), secret);
  });
});
