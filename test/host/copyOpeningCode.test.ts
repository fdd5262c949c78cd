import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'vscode';
import { getReceivedFolder, transferSamples } from './receivedSamples.ts';
import { Stage } from './stage.ts';

describe('Copy Code for Opening Files', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithService();
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  it('lists the first 1,000 files, and reports the limit in the prompt and in the code', async () => {
    const { key } = await transferSamples(stage);
    const folder = getReceivedFolder(stage, stage.parts.transferStore.getFinished()[0] ?? assert.fail());
    await rm(join(folder, 'manifest.json'));
    for (let index = 0; index < 1200; index += 1) await writeFile(join(folder, `more-${index}.csv`), '');
    const done = stage.run('dataTransfer.copyOpeningCode', { kind: 'transfer', key });
    const pick = await stage.person.pick();
    assert.equal(pick.placeholder, 'Select what to do with the code. It opens only the first 1,000 of 1,203 files.');
    pick.choose('Copy to Clipboard');
    await done;
    const code = await env.clipboard.readText();
    assert.match(code, /^# The first 1000 files; 203 more are not listed$/m);
    assert.equal(code.match(/^ {4}folder \/ /gm)?.length, 1000);
  });

  it('lists the existing files, and after a verification only the intact ones', async () => {
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
