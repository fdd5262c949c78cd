import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { env, Uri, window } from 'vscode';
import type { PastVerification } from '../../src/core/verification/pastVerification.ts';
import { ReceivedFolder } from '../support/receivedFolder.ts';
import { getReceivedFolder, transferSamples } from './receivedSamples.ts';
import { Stage, readEditorState } from './stage.ts';

describe('Opening transferred files', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithService();
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  it('opens a transferred file or the manifest, and copies the path', async () => {
    const transfer = await transferSamples(stage);
    const { person } = stage;
    const reveal = (): Promise<void> =>
      stage.run('dataTransfer.revealLandedFiles', { kind: 'transfer', key: transfer.key });
    const choose = async (label: string): Promise<void> => {
      const done = reveal();
      (await person.pick()).choose(label);
      await done;
    };
    const done = reveal();
    const ways = await person.pick();
    assert.deepEqual(ways.labels, [
      'observations-2023.csv',
      'observations-2024.csv',
      'observations-2025.csv',
      'Folder',
      'Open Folder in New Window',
      'Open in Terminal',
      'Copy Path',
      'Verify Transferred Files',
      'Open Manifest',
    ]);
    assert.ok(ways.text.includes(getReceivedFolder(stage, transfer)));
    ways.choose('observations-2024.csv');
    await done;
    const opened = (): string | undefined => window.activeTextEditor?.document.uri.fsPath;
    assert.equal(opened(), join(getReceivedFolder(stage, transfer), 'observations-2024.csv'));
    await choose('Open Manifest');
    assert.equal(opened(), join(getReceivedFolder(stage, transfer), 'manifest.json'));
    await choose('Copy Path');
    assert.equal(await env.clipboard.readText(), getReceivedFolder(stage, transfer));
    await rm(join(getReceivedFolder(stage, transfer), 'observations-2023.csv'));
    await choose('observations-2023.csv');
    await person.notice(/^Could not open observations-2023\.csv in .*dts-/);
  });

  it('stores the result of a verification, and marks the verified files', async () => {
    const transfer = await transferSamples(stage);
    const { person } = stage;
    await rm(join(getReceivedFolder(stage, transfer), 'observations-2023.csv'));
    const verified = stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key: transfer.key });
    (await person.notice(/^1 of 3 files is missing\.$/)).dismiss();
    await verified;
    const stored = (await readEditorState(stage.parts.context))['verifications.json'] as Record<
      string,
      PastVerification
    >;
    const { at, ...counts } = stored[transfer.key] ?? { at: 0 };
    assert.ok(at > 0);
    assert.deepEqual(counts, { fileCount: 3, intactCount: 2, damaged: ['observations-2023.csv'] });
    const done = stage.run('dataTransfer.revealLandedFiles', { kind: 'transfer', key: transfer.key });
    const pick = await person.pick();
    const marks = pick.items.slice(0, 3).map(({ description = '' }) => description.includes('verified'));
    assert.deepEqual(marks, [false, true, true]);
    pick.escape();
    await done;
  });

  it('shows the folder name at a remote destination, and copies it', async () => {
    await stage.connectToPublic();
    await stage.search('JGI Data Portal', 'JDP:00000');
    await stage.transferAll('KBase Workspace Service (KSS)');
    const { person } = stage;
    const [submitted] = stage.parts.transferStore.getAll();
    assert.ok(submitted?.id);
    let done = stage.run('dataTransfer.revealLandedFiles', stage.firstTransfer);
    const pick = await person.pick();
    assert.ok(pick.text.includes(`The files are at KBase Workspace Service (KSS), in the dts-${submitted.id} folder.`));
    pick.choose('Copy Folder Name');
    await done;
    assert.equal(await env.clipboard.readText(), `dts-${submitted.id}`);
    const received = await ReceivedFolder.create();
    await received.addTransferred({ 'a.txt': 'a' });
    await rename(received.folder, join(received.root, `dts-${submitted.id}`));
    done = stage.run('dataTransfer.revealLandedFiles', stage.firstTransfer);
    (await person.pick()).choose('Select Folder…');
    (await person.folderDialog()).choose(Uri.file(received.root));
    const files = await person.pick();
    assert.equal(files.labels[0], 'a.txt');
    files.escape();
    await done;
    await received.remove();
  });
});
