import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VerificationReport } from '../../../src/core/verification/verification.ts';
import type { TransferManifest } from '../../../src/core/verification/transferManifest.ts';
import { findFolderManifest, findTransferredFolder } from '../../../src/core/verification/transferredFolder.ts';
import {
  canMatchTransfer,
  findUnlistedFiles,
  findFilesToResend,
} from '../../../src/core/verification/manifestMatch.ts';

const id = '3f7c1a52-90a1-4a8e-9a55-aaaaaaaaaaaa';
const other = '3f7c1a52-90a1-4a8e-9a55-bbbbbbbbbbbb';

describe('The folder of transferred files', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'place-'))));
  afterEach(() => rm(folder, { recursive: true }));

  async function put(...path: string[]): Promise<string> {
    const file = join(folder, ...path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, '{}');
    return file;
  }

  it('is the folder dts-<id> of the destination (D24)', async () => {
    const manifest = await put(`dts-${id}`, 'manifest.json');
    assert.deepEqual((await findTransferredFolder(folder, id)).found, { folder: join(folder, `dts-${id}`), manifest });
  });

  it("is that folder in a user's folder, as on the public server", async () => {
    const manifest = await put('carberry', `dts-${id}`, 'manifest.json');
    const { found, searched } = await findTransferredFolder(folder, id);
    assert.deepEqual(found, { folder: join(folder, 'carberry', `dts-${id}`), manifest });
    assert.deepEqual(searched, [join(folder, `dts-${id}`), join(folder, '*', `dts-${id}`)]);
  });

  it('is the folder itself if it has the name or a manifest', async () => {
    const manifest = await put(`dts-${id}`, 'manifest.json');
    const itself = join(folder, `dts-${id}`);
    assert.deepEqual((await findTransferredFolder(itself, id)).found, { folder: itself, manifest });
    const renamed = await put('renamed', 'manifest.json');
    const found = await findTransferredFolder(join(folder, 'renamed'), id);
    assert.deepEqual(found.found, { folder: join(folder, 'renamed'), manifest: renamed });
  });

  it('has the alternate manifest if the transfer includes a file with the usual name (D24)', async () => {
    await put(`dts-${id}`, 'manifest.json');
    const manifest = await put(`dts-${id}`, `manifest-${id}.json`);
    assert.equal((await findTransferredFolder(folder, id)).found?.manifest, manifest);
  });

  it('is the folder with the chosen name, of the destination only (D24)', async () => {
    const manifest = await put('run-42', 'manifest.json');
    const { found, searched } = await findTransferredFolder(folder, id, 'run-42');
    assert.deepEqual(found, { folder: join(folder, 'run-42'), manifest });
    assert.deepEqual(searched, [join(folder, 'run-42')]);
    const itself = join(folder, 'run-42');
    assert.deepEqual((await findTransferredFolder(itself, id, 'run-42')).found, { folder: itself, manifest });
    await put('user', 'other', 'manifest.json');
    assert.equal((await findTransferredFolder(folder, id, 'other')).found, undefined);
  });

  it("isn't that with the chosen name if the manifest is another transfer's, as after the first was moved (D24)", async () => {
    const manifest = await put('run-42', 'manifest.json');
    const write = async (owner: string): Promise<void> =>
      await writeFile(manifest, JSON.stringify({ name: 'manifest', id: owner, folder: 'run-42' }, undefined, 2));
    const find = async (place: string) => (await findTransferredFolder(place, id, 'run-42')).found;
    await write(other);
    assert.deepEqual([await find(folder), await find(join(folder, 'run-42'))], [undefined, undefined]);
    await write(id);
    assert.deepEqual(await find(folder), { folder: join(folder, 'run-42'), manifest });
  });

  it("isn't that with the chosen name while another transfer fills it, which has no manifest yet (D24)", async () => {
    await put('run-42', `.part-${other}`);
    const find = async (place: string) => (await findTransferredFolder(place, id, 'run-42')).found;
    const itself = join(folder, 'run-42');
    assert.deepEqual([await find(folder), await find(itself)], [undefined, undefined]);
    assert.deepEqual((await findTransferredFolder(folder, other, 'run-42')).found, { folder: itself });
  });

  it('has a manifest of another name if it contains a file with the usual one, also with a chosen name', async () => {
    await put('run-42', 'manifest.json');
    const manifest = await put('run-42', `manifest-${id}.json`);
    assert.equal(await findFolderManifest(join(folder, 'run-42')), manifest);
  });

  it('has no manifest if there is only the folder', async () => {
    await mkdir(join(folder, `dts-${id}`));
    assert.deepEqual((await findTransferredFolder(folder, id)).found, { folder: join(folder, `dts-${id}`) });
  });

  it("isn't found if it doesn't exist, and the searched folders are reported", async () => {
    const nowhere = {
      searched: [join(folder, `dts-${id}`), join(folder, '*', `dts-${id}`), join(folder, 'manifest.json')],
    };
    assert.deepEqual(await findTransferredFolder(folder, id), nowhere);
    await symlink(tmpdir(), join(folder, `dts-${id}`));
    assert.deepEqual(await findTransferredFolder(folder, id), nowhere, 'a link is not a transferred folder');
    assert.equal((await findTransferredFolder(join(folder, 'not there'), id)).found, undefined);
  });

  it("isn't the folder of another transfer", async () => {
    await put(`dts-${other}`, 'manifest.json');
    assert.equal((await findTransferredFolder(join(folder, `dts-${other}`), id)).found, undefined);
  });

  for (const strange of ['../up', '/etc', '', '.', '..', 'a/b', 'a\0b']) {
    it(`isn't searched for by the id ${JSON.stringify(strange)}, which isn't a plain name`, async () => {
      assert.deepEqual(await findTransferredFolder(folder, strange), { searched: [join(folder, 'manifest.json')] });
    });
  }
});

describe('Matching a manifest with a transfer', () => {
  const files = ['a', 'b', 'c'].map((name) => ({ id: name, name: `${name}.csv` }));
  const transfer = { id, order: { files } };

  function manifest(ids: readonly (string | undefined)[], more: Partial<TransferManifest> = {}): TransferManifest {
    const named = ids.map((one, index) => ({ path: `${index}`, places: [`${index}`], ...(one && { id: one }) }));
    return { file: '/x/manifest.json', files: named, problems: [], problemCount: 0, ...more };
  }

  it('compares the ids, and otherwise the files', () => {
    assert.equal(canMatchTransfer(manifest(['a'], { id: id.toUpperCase() }), transfer), true);
    assert.equal(canMatchTransfer(manifest(['a'], { id: other }), transfer), false);
    assert.equal(canMatchTransfer(manifest(['c', 'd']), transfer), true);
    assert.equal(canMatchTransfer(manifest(['d', 'e']), transfer), false);
    assert.equal(canMatchTransfer(manifest(['d', undefined]), transfer), true, 'what has no id may be one of them');
    assert.equal(canMatchTransfer(manifest([]), transfer), true);
  });

  it("returns the files that didn't arrive intact: missing, changed, or not sent", () => {
    const three = manifest(['a', 'b', 'remote']);
    const [a, b, elsewhere] = three.files;
    assert.ok(a && b && elsewhere);
    const report: VerificationReport = {
      manifest: three,
      intactCount: 0,
      findings: [
        { file: a, outcome: { kind: 'missing' } },
        { file: b, outcome: { kind: 'notCompared' } },
        { file: elsewhere, outcome: { kind: 'missing' } },
      ],
      extra: { paths: [], isTruncated: false, unreadableFolders: [] },
    };
    assert.deepEqual(
      findFilesToResend(report, files).map((file) => file.id),
      ['a', 'c'],
    );
    assert.deepEqual(findUnlistedFiles(manifest([undefined]), files), [], 'a manifest without ids does not list ids');
  });
});
