import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { verifyTransfer, type VerificationReport } from '../../src/core/verification/verification.ts';
import { readManifest } from '../../src/core/verification/transferManifest.ts';
import { findTransferredFolder } from '../../src/core/verification/transferredFolder.ts';
import { canMatchTransfer, findFilesToResend } from '../../src/core/verification/manifestMatch.ts';
import { systemClock } from '../../src/core/util/clock.ts';
import { toFileId } from '../../src/core/util/fileId.ts';
import { ServiceRig } from '../support/serviceRig.ts';

describe('Files that the local service has transferred', () => {
  const files: Record<string, string> = { 'sub/manifest.json': '{"mine": 1}', 'manifest.json': '{}', 'empty.bin': '' };
  for (let i = 0; i < 1_000; i += 1) files[`data/${i % 9}/file ${i}, 100%.csv`] = `content of ${i}`;
  let rig: ServiceRig;
  before(async () => (rig = await ServiceRig.start(files)));
  after(async () => await rig.stop());

  async function transfer(paths: readonly string[]): Promise<string> {
    const id = await rig.mustSubmit(paths.map(toFileId));
    await rig.waitForStatus(id, 'succeeded');
    return id;
  }

  async function check(id: string): Promise<VerificationReport> {
    const { found } = await findTransferredFolder(rig.target, id);
    assert.ok(found?.manifest !== undefined);
    const { signal } = new AbortController();
    const options = { clock: systemClock, signal, onProgress: () => undefined };
    return await verifyTransfer(await readManifest(found.manifest), options);
  }

  it('are found and verified: 1,000 files, then one flipped byte, one missing and one extra (D24)', async () => {
    const paths = Object.keys(files).filter((path) => path.startsWith('data/'));
    const id = await transfer(paths);
    const clean = await check(id);
    assert.deepEqual([clean.intactCount, clean.findings, clean.extra.paths], [1_000, [], []]);
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
    const requested = report.manifest.files.map((file) => ({ id: file.id ?? '', name: file.path }));
    assert.equal(canMatchTransfer(report.manifest, { id, order: { files: requested } }), true);
    assert.deepEqual(
      findFilesToResend(report, requested).map(({ name }) => name),
      [flipped, missing],
    );
  });

  it('are verified by the alternate manifest when a file is called manifest.json (D24)', async () => {
    const id = await transfer(['manifest.json', 'sub/manifest.json', 'empty.bin']);
    const report = await check(id);
    assert.equal(report.manifest.file, join(rig.target, `dts-${id}`, `manifest-${id}.json`));
    assert.deepEqual([report.intactCount, report.findings, report.extra.paths], [3, [], []]);
  });
});
