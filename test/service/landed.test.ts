import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkLanded, type LandedReport } from '../../src/core/landed/landedCheck.ts';
import { readManifest } from '../../src/core/landed/landedManifest.ts';
import { findLanded } from '../../src/core/landed/landedPlace.ts';
import { canBeManifestOf, filesToSendAgain } from '../../src/core/landed/landedTransfer.ts';
import { systemClock } from '../../src/core/util/clock.ts';
import { fileIdOf } from '../../src/service/catalog/fileId.ts';
import { ServiceRig } from '../support/serviceRig.ts';

describe('What the local service has landed', function () {
  this.timeout(30_000);
  const files: Record<string, string> = { 'sub/manifest.json': '{"mine": 1}', 'manifest.json': '{}', 'empty.bin': '' };
  for (let i = 0; i < 1_000; i += 1) files[`data/${i % 9}/file ${i}, 100%.csv`] = `content of ${i}`;
  let rig: ServiceRig;
  before(async () => (rig = await ServiceRig.start(files)));
  after(async () => await rig.stop());

  async function land(paths: readonly string[]): Promise<string> {
    const id = await rig.mustSubmit(paths.map(fileIdOf));
    await rig.reaches(id, 'succeeded');
    return id;
  }

  async function check(id: string): Promise<LandedReport> {
    const { found } = await findLanded(rig.target, id);
    assert.ok(found?.manifest !== undefined);
    const { signal } = new AbortController();
    const parts = { clock: systemClock, signal, onProgress: () => undefined };
    return await checkLanded(await readManifest(found.manifest), parts);
  }

  it('is found and verified: 1,000 files, then one flipped byte, one missing and one extra (D24)', async () => {
    const paths = Object.keys(files).filter((path) => path.startsWith('data/'));
    const id = await land(paths);
    const clean = await check(id);
    assert.deepEqual([clean.asSentCount, clean.findings, clean.extra.paths], [1_000, [], []]);
    const folder = join(rig.target, `dts-${id}`);
    const [flipped = '', missing = ''] = paths.slice(300);
    const bytes = await readFile(join(folder, flipped));
    bytes.writeUInt8(bytes.readUInt8(0) ^ 128, 0);
    await writeFile(join(folder, flipped), bytes);
    await rm(join(folder, missing));
    await mkdir(join(folder, dirname(missing)), { recursive: true });
    await writeFile(join(folder, `${missing}.extra`), '');
    const report = await check(id);
    assert.deepEqual(
      report.findings.map(({ file, outcome }) => [file.path, outcome.kind]),
      [
        [flipped, 'hash'],
        [missing, 'missing'],
      ],
    );
    assert.deepEqual(report.extra.paths, [`${missing}.extra`]);
    const asked = report.manifest.files.map((file) => ({ id: file.id ?? '', name: file.path }));
    assert.equal(canBeManifestOf(report.manifest, { id, order: { files: asked } }), true);
    assert.deepEqual(
      filesToSendAgain(report, asked).map(({ name }) => name),
      [flipped, missing],
    );
  });

  it('is verified by the manifest of the other name when a file is called manifest.json (D24)', async () => {
    const id = await land(['manifest.json', 'sub/manifest.json', 'empty.bin']);
    const report = await check(id);
    assert.equal(report.manifest.file, join(rig.target, `dts-${id}`, `manifest-${id}.json`));
    assert.deepEqual([report.asSentCount, report.findings, report.extra.paths], [3, [], []]);
  });
});
