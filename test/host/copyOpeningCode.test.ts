import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'vscode';
import { getReceivedFolder, transferSamples } from './receivedSamples.ts';
import { Stage } from './stage.ts';

describe('Copy Code to Open Files', function () {
  this.timeout(60_000);
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithOrcid();
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  it('lists the files that are there, and after a verification only those that were intact', async () => {
    const { key } = await transferSamples(stage);
    const folder = getReceivedFolder(stage, stage.parts.transferStore.getFinished()[0] ?? assert.fail());
    const copy = async (): Promise<string> => {
      const done = stage.run('dataTransfer.copyOpeningCode', { kind: 'transfer', key });
      (await stage.person.pick()).choose('Copy to Clipboard');
      await done;
      return await env.clipboard.readText();
    };
    const code = await copy();
    assert.match(code, /^import pandas$/m);
    assert.match(code, /^# Transferred files, not verified yet$/m);
    assert.ok(code.includes(`folder = Path(${JSON.stringify(folder)})`));
    assert.match(code, /observations-2023[^]*observations-2024[^]*observations-2025/);
    await rm(join(folder, 'observations-2024.csv'));
    const verified = stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key });
    (await stage.person.notice(/^1 of 3 files is missing\.$/)).dismiss();
    await verified;
    const later = await copy();
    assert.match(later, /^# Transferred files, verified on \d{4}-\d\d-\d\d$/m);
    assert.doesNotMatch(later, /observations-2024/);
    assert.match(later, /observations-2023/);
  });
});
