import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { env, Uri, window } from 'vscode';
import type { Transfer } from '../../src/core/model/transfer.ts';
import { json } from '../support/faultBehaviours.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { LandedFolder } from '../support/landedFolder.ts';
import { until } from '../unit/core/rig.ts';
import { hostileTexts } from './specimens.ts';
import { orcid, Stage } from './stage.ts';

describe('What has landed, in the editor', function () {
  this.timeout(60_000);
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
    await stage.settings.update('orcid', orcid, true);
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  /** Transfers three samples through the local service; resolves when that has ended. */
  async function transferSamples(): Promise<Transfer> {
    await stage.run('dataTransfer.startLocalService');
    await stage.search('Sample Data', 'observations');
    await stage.transferAll('Received Files');
    const { transferStore } = stage.parts;
    await until(transferStore.onDidChange, () => transferStore.running().length === 0);
    await stage.person.notice(/^Transferred 3 files/);
    const [transfer] = transferStore.finished();
    assert.ok(transfer);
    return transfer;
  }

  function landedFolder({ id }: Transfer): string {
    return join(Uri.joinPath(stage.parts.context.globalStorageUri, 'received').fsPath, `dts-${id ?? ''}`);
  }

  /** The text of the report that was opened. */
  function report(): string {
    const { document } = window.activeTextEditor ?? {};
    assert.equal(document?.uri.scheme, 'data-transfer');
    assert.equal(document.isDirty, false);
    return document.getText();
  }

  it('verifies a transfer of the local service without a question, and shows the report', async () => {
    const transfer = await transferSamples();
    const done = stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key: transfer.key });
    const notice = await stage.person.notice();
    assert.deepEqual([notice.kind, notice.message], ['information', '3 files are as sent.']);
    assert.deepEqual(notice.buttons, ['Show Report']);
    notice.press('Show Report');
    await done;
    assert.match(
      report(),
      /^3 files are as sent\.\n\nTransfer +[0-9a-f-]{36}\nFrom +Sample Data\nTo +Received Files\n/,
    );
    assert.match(report(), /\nFiles in the manifest +3\nAs sent +3\n$/);
  });

  it('says what is missing, changed and extra, and transfers that again after asking', async () => {
    const transfer = await transferSamples();
    const folder = landedFolder(transfer);
    await rm(join(folder, 'observations-2023.csv'));
    const changed = await readFile(join(folder, 'observations-2024.csv'));
    changed.writeUInt8(changed.readUInt8(9) ^ 1, 9);
    await writeFile(join(folder, 'observations-2024.csv'), changed);
    await writeFile(join(folder, 'extra.csv'), '');
    const { person, parts } = stage;
    const done = stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key: transfer.key });
    const notice = await person.notice();
    const text = '1 of 3 files is missing, 1 has changed. 1 file in the folder is not in the manifest.';
    assert.deepEqual([notice.kind, notice.message], ['warning', text]);
    assert.deepEqual(notice.buttons, ['Show Report', 'Submit Missing Again…']);
    notice.press('Show Report');
    const again = await person.notice();
    assert.match(report(), /\nMissing \(1\)\n {2}observations-2023\.csv\n/);
    assert.match(
      report(),
      /\nChanged \(1\)\n {2}observations-2024\.csv {2}sha256 is [0-9a-f]{64} instead of [0-9a-f]{64}\n/,
    );
    assert.match(report(), /\nIn the folder, but not in the manifest \(1\)\n {2}extra\.csv\n/);
    assert.deepEqual([again.message, again.buttons], [text, ['Submit Missing Again…']]);
    again.press('Submit Missing Again…');
    const question = await person.notice();
    assert.deepEqual([question.message, question.isModal], ['Transfer 2 files to Received Files?', true]);
    assert.match(question.detail, /\nFrom: Sample Data\nTo: Received Files\nFree there: \d/);
    question.press('Transfer');
    await done;
    await person.notice(/^Transferred 2 files to Received Files\.$/);
    const [newest] = parts.transferStore.all();
    assert.deepEqual(newest?.order.files.map(({ name }) => name).sort(), [
      'observations-2023.csv',
      'observations-2024.csv',
    ]);
    const verified = stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key: newest.key });
    const fine = await person.notice();
    assert.equal(fine.message, '2 files are as sent.');
    fine.dismiss();
    await verified;
  });

  it('verifies the manifest of the explorer, and knows whose it is', async () => {
    const transfer = await transferSamples();
    await rm(join(landedFolder(transfer), 'observations-2023.csv'));
    const done = stage.run('dataTransfer.verifyLandedFiles', Uri.file(join(landedFolder(transfer), 'manifest.json')));
    const notice = await stage.person.notice();
    assert.equal(notice.message, '1 of 3 files is missing.');
    assert.deepEqual(notice.buttons, ['Show Report', 'Submit Missing Again…']);
    notice.dismiss();
    await done;
  });

  it('asks from the palette which transfer, or a manifest file; that may be of no known transfer', async () => {
    await transferSamples();
    const landed = await LandedFolder.make();
    await landed.land({ 'a.txt': 'a' });
    const { person } = stage;
    const done = stage.run('dataTransfer.verifyLandedFiles');
    const pick = await person.pick();
    assert.deepEqual(pick.labels, ['3 files to Received Files', 'Select a manifest file…']);
    pick.choose('Select a manifest file…');
    const dialog = await person.folderDialog();
    assert.match(dialog.text, /Select the manifest of a transfer/);
    dialog.choose(Uri.file(landed.manifest));
    const notice = await person.notice();
    assert.deepEqual([notice.message, notice.buttons], ['1 file is as sent.', ['Show Report']]);
    notice.dismiss();
    await done;
    await landed.remove();
  });

  it('asks where the files are when they are not where they landed, says where it looked, and remembers', async () => {
    const transfer = await transferSamples();
    const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
    const empty = await mkdtemp(join(tmpdir(), 'empty-'));
    const moved = join(elsewhere, basename(landedFolder(transfer)));
    await cp(landedFolder(transfer), moved, { recursive: true });
    await rm(landedFolder(transfer), { recursive: true });
    const { person } = stage;
    const verify = (): Promise<void> =>
      stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key: transfer.key });
    let done = verify();
    const gone = await person.notice();
    assert.ok(gone.message.includes(landedFolder(transfer)), gone.message);
    gone.press('Select Folder…');
    (await person.folderDialog()).choose(Uri.file(empty));
    const notThere = await person.notice();
    assert.ok(notThere.message.includes(join(empty, basename(moved))), notThere.message);
    notThere.press('Select Folder…');
    (await person.folderDialog()).choose(Uri.file(moved));
    (await person.notice(/^3 files are as sent\.$/)).dismiss();
    await done;
    const asked = person.inputs.length;
    done = verify();
    (await person.notice(/^3 files are as sent\.$/)).dismiss();
    await done;
    assert.equal(person.inputs.length, asked, 'it is not asked for again');
    await Promise.all([elsewhere, empty].map(async (folder) => await rm(folder, { recursive: true })));
  });

  it('asks for the folder of a service elsewhere, and takes no manifest of another transfer', async () => {
    publicLike(stage.server, 'the-key');
    await stage.connect('the-key');
    await stage.search('JGI Data Portal', 'JDP:00000');
    await stage.transferAll('KBase Workspace Service (KSS)');
    const [submitted] = stage.parts.transferStore.all();
    assert.ok(submitted?.id);
    await stage.run('dataTransfer.verifyLandedFiles', stage.firstTransfer);
    await stage.person.notice(/^This transfer has not ended yet\.$/);
    await stage.parts.transferFlow.keep({ ...submitted, state: 'succeeded' });
    const landed = await LandedFolder.make();
    await landed.land({ 'a.txt': 'a' });
    const { person } = stage;
    const verify = (): Promise<void> => stage.run('dataTransfer.verifyLandedFiles', stage.firstTransfer);
    let done = verify();
    const dialog = await person.folderDialog();
    assert.match(dialog.text, new RegExp(`^Select the folder dts-${submitted.id}, or the one that it is in`));
    dialog.choose(Uri.file(landed.folder));
    (await person.notice(/manifest\.json is the manifest of another transfer\.$/)).dismiss();
    await done;
    const own = submitted.order.files.map(({ id }) => ({ id, path: `${id.replace(':', '_')}.fa`, hash: '' }));
    await landed.describe({ username: 'carberry', resources: own.slice(1) });
    await rename(landed.folder, join(landed.root, `dts-${submitted.id}`));
    done = verify();
    (await person.folderDialog()).choose(Uri.file(dirname(landed.root)));
    const outcome = await person.notice();
    const text =
      '9 files are missing. 1 file that was asked for is not in the manifest. 1 file in the folder is not in the manifest.';
    assert.equal(outcome.message, text);
    stage.server.on('GET /', json({ name: 'DTS prototype', version: '0.13.0' }));
    const { sessions, connectFlow } = stage.parts;
    assert.ok(sessions.active);
    await connectFlow.open(sessions.active.connection, 'the-key');
    outcome.press('Submit Missing Again…');
    (await person.notice(/^Transfer 10 files to /)).press('Transfer');
    await done;
    const sent = stage.server.requestsTo('POST /api/v1/transfers').map(({ body }) => JSON.parse(body) as object);
    assert.deepEqual(sent[1], sent[0], 'the service is asked first what it calls its databases (D7)');
    await landed.remove();
  });

  it('says in words what is no manifest', async () => {
    const landed = await LandedFolder.make();
    const verify = (): Promise<void> => stage.run('dataTransfer.verifyLandedFiles', Uri.file(landed.manifest));
    await verify();
    await stage.person.notice(/^There is no manifest at .*manifest\.json\.$/);
    await landed.describe('{');
    await verify();
    await stage.person.notice(/manifest\.json is not JSON, so it is no manifest\.$/);
    await landed.describe({});
    await verify();
    await stage.person.notice(/manifest\.json is not a manifest: it has no list of files\.$/);
    await stage.run('dataTransfer.verifyLandedFiles', Uri.parse('vscode-vfs://github/a/manifest.json'));
    await stage.person.notice(/is not on this machine, so it cannot be checked\.$/);
    await landed.remove();
  });

  it('shows what a manifest says as lines of plain text', async () => {
    const landed = await LandedFolder.make();
    const resources = Object.values(hostileTexts).flatMap((text) => [
      { path: `a/${text}`, id: text, hash: text },
      { path: `../${text}` },
      { path: text, bytes: text },
    ]);
    await landed.describe({ created: hostileTexts['line breaks'], resources });
    const done = stage.run('dataTransfer.verifyLandedFiles', Uri.file(landed.manifest));
    (await stage.person.notice(/^\d+ (of \d+ )?files are missing/)).press('Show Report');
    await done;
    const text = report();
    assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    assert.ok(text.split('\n').every((one) => one.length < 4_200));
    await landed.remove();
  });

  it('reveals what has landed: its manifest, its path', async () => {
    const transfer = await transferSamples();
    const { person } = stage;
    const reveal = (): Promise<void> =>
      stage.run('dataTransfer.revealLandedFiles', { kind: 'transfer', key: transfer.key });
    let done = reveal();
    const ways = await person.pick();
    assert.ok(ways.labels.includes('Open the folder in a new window'));
    assert.ok(ways.text.includes(landedFolder(transfer)));
    ways.choose('Open manifest');
    await done;
    assert.equal(window.activeTextEditor?.document.uri.fsPath, join(landedFolder(transfer), 'manifest.json'));
    done = reveal();
    (await person.pick()).choose('Copy path');
    await done;
    assert.equal(await env.clipboard.readText(), landedFolder(transfer));
  });
});
