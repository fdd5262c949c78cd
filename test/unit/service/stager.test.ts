import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { stageFile } from '../../../src/service/transfers/stager.ts';
import type { TransferFile } from '../../../src/service/transfers/transferRecord.ts';

describe('Staging a file (D22, D23)', () => {
  let root: string;
  let source: string;
  const held: string[] = [];
  const catalog = {
    heldHash: async () => await Promise.resolve(undefined),
    holdHash: async (_: unknown, sha256: string) => {
      held.push(sha256);
      await Promise.resolve();
    },
  };

  beforeEach(async () => {
    held.length = 0;
    root = await fs.realpath(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-stage-')));
    source = nodePath.join(root, 'source');
    await fs.mkdir(nodePath.join(source, 'sub'), { recursive: true });
    await fs.writeFile(nodePath.join(source, 'a.txt'), 'a');
    await fs.writeFile(nodePath.join(root, 'secret.txt'), 'secret');
  });

  afterEach(async () => await fs.rm(root, { recursive: true }));

  async function stage(path: string): Promise<TransferFile> {
    const resource = { id: path, path };
    const file: TransferFile = { position: 0, path, bytes: 1, resource, isLanded: false };
    return await stageFile({ folder: source, catalog }, file, new AbortController().signal);
  }

  it('reads it, and gives its hash to the catalogue', async () => {
    const { sha256 } = await stage('a.txt');
    assert.equal(sha256, 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb');
    assert.deepEqual(held, [sha256]);
  });

  it('fails when it is no longer there', async () => {
    await assert.rejects(stage('gone.txt'), /could not read gone\.txt: it is no longer there/);
  });

  for (const target of ['../secret.txt', '/etc/hostname', 'sub/../../secret.txt']) {
    it(`fails when it was swapped for a link to ${target}`, async () => {
      await fs.symlink(target, nodePath.join(source, 'swapped.txt'));
      await assert.rejects(stage('swapped.txt'), /could not read swapped\.txt: it leads out/);
      assert.deepEqual(held, []);
    });
  }

  it('fails when its folder was swapped for a link that leads out', async () => {
    await fs.rmdir(nodePath.join(source, 'sub'));
    await fs.symlink('..', nodePath.join(source, 'sub'));
    await assert.rejects(stage('sub/secret.txt'), /could not read sub\/secret\.txt: it leads out/);
  });
});
