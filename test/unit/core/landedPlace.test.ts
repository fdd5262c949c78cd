import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LandedReport } from '../../../src/core/landed/landedCheck.ts';
import type { LandedManifest } from '../../../src/core/landed/landedManifest.ts';
import { findLanded } from '../../../src/core/landed/landedPlace.ts';
import { canBeManifestOf, filesNotNamed, filesToSendAgain } from '../../../src/core/landed/landedTransfer.ts';

const id = '3f7c1a52-90a1-4a8e-9a55-aaaaaaaaaaaa';
const other = '3f7c1a52-90a1-4a8e-9a55-bbbbbbbbbbbb';

describe('The place where a transfer landed', () => {
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
    assert.deepEqual((await findLanded(folder, id)).found, { folder: join(folder, `dts-${id}`), manifest });
  });

  it('is that folder in the folder of a person, as with the public service', async () => {
    const manifest = await put('carberry', `dts-${id}`, 'manifest.json');
    const { found, looked } = await findLanded(folder, id);
    assert.deepEqual(found, { folder: join(folder, 'carberry', `dts-${id}`), manifest });
    assert.deepEqual(looked, [join(folder, `dts-${id}`), join(folder, '*', `dts-${id}`)]);
  });

  it('is the folder itself when that has the name, or a manifest', async () => {
    const manifest = await put(`dts-${id}`, 'manifest.json');
    const itself = join(folder, `dts-${id}`);
    assert.deepEqual((await findLanded(itself, id)).found, { folder: itself, manifest });
    const renamed = await put('renamed', 'manifest.json');
    const found = await findLanded(join(folder, 'renamed'), id);
    assert.deepEqual(found.found, { folder: join(folder, 'renamed'), manifest: renamed });
  });

  it('has the manifest of the other name when the transfer brought its own (D24)', async () => {
    await put(`dts-${id}`, 'manifest.json');
    const manifest = await put(`dts-${id}`, `manifest-${id}.json`);
    assert.equal((await findLanded(folder, id)).found?.manifest, manifest);
  });

  it('has no manifest when there is only the folder', async () => {
    await mkdir(join(folder, `dts-${id}`));
    assert.deepEqual((await findLanded(folder, id)).found, { folder: join(folder, `dts-${id}`) });
  });

  it('is not known when it is nowhere there; what was looked at is told', async () => {
    const nowhere = {
      looked: [join(folder, `dts-${id}`), join(folder, '*', `dts-${id}`), join(folder, 'manifest.json')],
    };
    assert.deepEqual(await findLanded(folder, id), nowhere);
    await symlink(tmpdir(), join(folder, `dts-${id}`));
    assert.deepEqual(await findLanded(folder, id), nowhere, 'a link is not a landed folder');
    assert.equal((await findLanded(join(folder, 'not there'), id)).found, undefined);
  });

  it('is not the folder of another transfer', async () => {
    await put(`dts-${other}`, 'manifest.json');
    assert.equal((await findLanded(join(folder, `dts-${other}`), id)).found, undefined);
  });

  for (const strange of ['../up', '/etc', '', '.', '..', 'a/b', 'a\0b']) {
    it(`is not looked for by the id ${JSON.stringify(strange)}, which is no plain name`, async () => {
      assert.deepEqual(await findLanded(folder, strange), { looked: [join(folder, 'manifest.json')] });
    });
  }
});

describe('A manifest and a transfer', () => {
  const files = ['a', 'b', 'c'].map((name) => ({ id: name, name: `${name}.csv` }));
  const transfer = { id, order: { files } };

  function manifest(ids: readonly (string | undefined)[], more: Partial<LandedManifest> = {}): LandedManifest {
    const named = ids.map((one, index) => ({ path: `${index}`, places: [`${index}`], ...(one && { id: one }) }));
    return { file: '/x/manifest.json', files: named, troubles: [], troubleCount: 0, ...more };
  }

  it('belong together by the id, and otherwise by the files', () => {
    assert.equal(canBeManifestOf(manifest(['a'], { id: id.toUpperCase() }), transfer), true);
    assert.equal(canBeManifestOf(manifest(['a'], { id: other }), transfer), false);
    assert.equal(canBeManifestOf(manifest(['c', 'd']), transfer), true);
    assert.equal(canBeManifestOf(manifest(['d', 'e']), transfer), false);
    assert.equal(canBeManifestOf(manifest(['d', undefined]), transfer), true, 'what has no id may be one of them');
    assert.equal(canBeManifestOf(manifest([]), transfer), true);
  });

  it('tell which files did not land as they were sent: missing, changed, or never sent', () => {
    const three = manifest(['a', 'b', 'elsewhere']);
    const [a, b, elsewhere] = three.files;
    assert.ok(a && b && elsewhere);
    const report: LandedReport = {
      manifest: three,
      asSentCount: 0,
      findings: [
        { file: a, outcome: { kind: 'missing' } },
        { file: b, outcome: { kind: 'notCompared' } },
        { file: elsewhere, outcome: { kind: 'missing' } },
      ],
      extra: { paths: [], isCut: false, closed: [] },
    };
    assert.deepEqual(
      filesToSendAgain(report, files).map((file) => file.id),
      ['a', 'c'],
    );
    assert.deepEqual(
      filesNotNamed(manifest([undefined]), files),
      [],
      'a manifest without ids says nothing of what is not in it',
    );
  });
});
