import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { TabInputWebview, Uri } from 'vscode';
import { findPlace } from '../../src/extension/features/transfers/transferPanel.ts';
import { getReportId, type StoredReport } from '../../src/extension/editor/stateFiles.ts';
import { eventually } from '../support/eventually.ts';
import { json } from '../support/faultBehaviors.ts';
import { ReceivedFolder } from '../support/receivedFolder.ts';
import { getReceivedFolder, transferSamples } from './receivedSamples.ts';
import { hostileTexts } from './specimens.ts';
import { Stage } from './stage.ts';

describe('Verifying transferred files in the editor', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithService();
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  /** Returns the text and the key of the report in the active tab, when the tab with its table is open. */
  async function active(title: RegExp): Promise<StoredReport> {
    const { input } = await stage.tab(title);
    assert.ok(input instanceof TabInputWebview);
    assert.match(input.viewType, /dataTransfer\.verification$/);
    const { verificationPanels, verificationHistory } = stage.parts;
    const key = await eventually(() => Promise.resolve(verificationPanels.activeKey));
    return (await verificationHistory.getReport(key)) ?? assert.fail('no report');
  }

  const report = async (): Promise<string> => (await active(/^Verification: /)).text;

  it('verifies a transfer of the local service without a prompt, and shows the report', async () => {
    const transfer = await transferSamples(stage);
    const done = stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key: transfer.key });
    const notice = await stage.person.notice();
    assert.deepEqual([notice.kind, notice.message], ['information', 'All 3 files verified: all hashes match.']);
    assert.deepEqual(notice.buttons, ['Show Report']);
    notice.press('Show Report');
    await done;
    assert.match(
      await report(),
      /^All 3 files verified: all hashes match\.\n\nTransfer +[0-9a-f-]{36}\nFrom +Sample Data\nTo +Received Files\n/,
    );
    assert.match(await report(), /\nFiles in the manifest +3\nVerified +3\n$/);
  });

  it('reports missing, changed and extra files, and transfers them again after confirmation', async () => {
    const transfer = await transferSamples(stage);
    const folder = getReceivedFolder(stage, transfer);
    await rm(join(folder, 'observations-2023.csv'));
    const changed = await readFile(join(folder, 'observations-2024.csv'));
    changed.writeUInt8(changed.readUInt8(9) ^ 1, 9);
    await writeFile(join(folder, 'observations-2024.csv'), changed);
    await writeFile(join(folder, 'extra.csv'), '');
    const { person, parts } = stage;
    const done = stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key: transfer.key });
    const notice = await person.notice();
    const text = "1 of 3 files is missing, 1 has changed. 1 file in the folder isn't in the manifest.";
    assert.deepEqual([notice.kind, notice.message], ['warning', text]);
    assert.deepEqual(notice.buttons, ['Show Report', 'Transfer Missing or Changed Files Again…']);
    notice.press('Show Report');
    const again = await person.notice();
    assert.match(await report(), /\nMissing \(1\)\n {2}observations-2023\.csv\n/);
    assert.match(
      await report(),
      /\nChanged \(1\)\n {2}observations-2024\.csv {2}sha256: [0-9a-f]{64}, expected [0-9a-f]{64}\n/,
    );
    assert.match(await report(), /\nIn the folder, but not in the manifest \(1\)\n {2}extra\.csv\n/);
    assert.deepEqual([again.message, again.buttons], [text, ['Transfer Missing or Changed Files Again…']]);
    again.press('Transfer Missing or Changed Files Again…');
    const question = await person.notice();
    assert.deepEqual([question.message, question.isModal], ['Transfer 2 files to Received Files?', true]);
    assert.match(
      question.detail,
      /\nFrom: Sample Data\nLicenses: CC0-1\.0 \(2 files\)\nTo: Received Files\nFree space at the destination: \d/,
    );
    question.press('Transfer');
    await done;
    await person.notice(/^Transferred 2 files to Received Files\.$/);
    const [newest] = parts.transferStore.getAll();
    assert.deepEqual(newest?.order.files.map(({ name }) => name).sort(), [
      'observations-2023.csv',
      'observations-2024.csv',
    ]);
    const verified = stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key: newest.key });
    const fine = await person.notice();
    assert.equal(fine.message, 'All 2 files verified: all hashes match.');
    fine.dismiss();
    await verified;
  });

  it('keeps the report and the offer to transfer again after the notification was closed', async () => {
    const transfer = await transferSamples(stage);
    const node = { kind: 'transfer', key: transfer.key } as const;
    await stage.run('dataTransfer.showVerificationReport', node);
    await stage.person.notice(/^There is no verification report\. Verify the files\.$/);
    await rm(join(getReceivedFolder(stage, transfer), 'observations-2023.csv'));
    const verified = stage.run('dataTransfer.verifyLandedFiles', node);
    (await stage.person.notice(/^1 of 3 files is missing\.$/)).dismiss();
    await verified;
    const { table } = (await stage.parts.verificationHistory.getReport(transfer.key)) ?? {};
    assert.ok(table);
    const newer = { id: 'newer', text: 'newer', resend: [], table: { ...table, title: 'Newer' } };
    await stage.parts.verificationHistory.recordReport(newer);
    await stage.run('dataTransfer.showVerificationReport');
    assert.equal(getReportId(await active(/^Newer$/)), 'newer');
    await stage.run('dataTransfer.showVerificationReport', node);
    await eventually(() => Promise.resolve(stage.parts.verificationPanels.activeKey === transfer.key || undefined));
    const shown = await active(/^Verification: /);
    assert.equal(shown.key, transfer.key);
    assert.match(shown.text, /\nMissing \(1\)\n {2}observations-2023\.csv\n/);
    for (const given of [node, Uri.parse('webview-panel:webview-1'), undefined]) {
      const done = stage.run('dataTransfer.resendFiles', given);
      (await stage.person.notice(/^Transfer 1 file to Received Files\?$/)).dismiss();
      await done;
    }
    await stage.closePages();
    const place = await findPlace(transfer, 0, {
      locateFiles: () => Promise.resolve(undefined),
      verificationHistory: stage.parts.verificationHistory,
    });
    assert.deepEqual([place?.hasReport, place?.canResend], [true, true]);
  });

  it('transfers files again with the present ORCID iD', async () => {
    const transfer = await transferSamples(stage);
    await rm(join(getReceivedFolder(stage, transfer), 'observations-2023.csv'));
    const node = { kind: 'transfer', key: transfer.key } as const;
    const verified = stage.run('dataTransfer.verifyLandedFiles', node);
    (await stage.person.notice(/^1 of 3 files is missing\.$/)).dismiss();
    await verified;
    await stage.settings.update('orcid', '0000-0002-1694-233X', true);
    const done = stage.run('dataTransfer.resendFiles', node);
    (await stage.person.notice(/^Transfer 1 file to Received Files\?$/)).press('Transfer');
    await done;
    await stage.person.notice(/^Transferred 1 file to Received Files\.$/);
    assert.equal(stage.parts.transferStore.getAll()[0]?.order.orcid, '0000-0002-1694-233X');
  });

  it('says why the files of a report cannot be transferred again', async () => {
    const transfer = await transferSamples(stage);
    const node = { kind: 'transfer', key: transfer.key } as const;
    const folder = getReceivedFolder(stage, transfer);
    await rm(join(folder, 'observations-2023.csv'));
    const verified = stage.run('dataTransfer.verifyLandedFiles', node);
    (await stage.person.notice(/^1 of 3 files is missing\.$/)).dismiss();
    await verified;
    const says = async (...given: Parameters<typeof stage.run<'dataTransfer.resendFiles'>>): Promise<unknown[]> => {
      await stage.run(...given);
      const { kind, message, buttons } = await stage.person.notice();
      return [kind, message, ...buttons];
    };
    const closed = Uri.from({ scheme: 'data-transfer', path: '/verification/a.txt', query: 'of an earlier window' });
    assert.deepEqual(await says('dataTransfer.resendFiles', closed), [
      ...['information', 'This report is no longer available. Show the last report again.'],
      'Show Verification Report',
    ]);
    await stage.run('dataTransfer.removeFromHistory', node);
    (await stage.person.notice(/^Removed/)).dismiss();
    assert.deepEqual(await says('dataTransfer.resendFiles'), [
      ...['information', "These files can't be transferred again because their transfer isn't in the history."],
      'Restore Removed Transfers…',
    ]);
    const unknown = stage.run('dataTransfer.verifyLandedFiles', Uri.file(join(folder, 'manifest.json')));
    (await stage.person.notice(/^1 of 3 files is missing\.$/)).dismiss();
    await unknown;
    assert.deepEqual(await says('dataTransfer.resendFiles'), [
      ...['information', "These files can't be transferred again because their transfer isn't in the history."],
      'Restore Removed Transfers…',
    ]);
  });

  it('verifies a manifest selected in the Explorer view, and finds its transfer', async () => {
    const transfer = await transferSamples(stage);
    await rm(join(getReceivedFolder(stage, transfer), 'observations-2023.csv'));
    const done = stage.run(
      'dataTransfer.verifyLandedFiles',
      Uri.file(join(getReceivedFolder(stage, transfer), 'manifest.json')),
    );
    const notice = await stage.person.notice();
    assert.equal(notice.message, '1 of 3 files is missing.');
    assert.deepEqual(notice.buttons, ['Show Report', 'Transfer Missing or Changed Files Again…']);
    notice.dismiss();
    await done;
  });

  it('asks for a transfer or a manifest file, even of an unknown transfer, when run from the Command Palette', async () => {
    await transferSamples(stage);
    const received = await ReceivedFolder.create();
    await received.addTransferred({ 'a.txt': 'a' });
    const { person } = stage;
    const done = stage.run('dataTransfer.verifyLandedFiles');
    const pick = await person.pick();
    assert.deepEqual(pick.labels, ['3 files to Received Files', 'Select a manifest file…']);
    pick.choose('Select a manifest file…');
    const dialog = await person.folderDialog();
    assert.match(dialog.text, /Select a transfer manifest/);
    dialog.choose(Uri.file(received.manifest));
    const notice = await person.notice();
    assert.deepEqual([notice.message, notice.buttons], ['1 file verified: its hash matches.', ['Show Report']]);
    notice.dismiss();
    await done;
    await received.remove();
  });

  it('asks for the folder if the files were moved, lists the searched folders, and stores the answer', async () => {
    const transfer = await transferSamples(stage);
    const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
    const empty = await mkdtemp(join(tmpdir(), 'empty-'));
    const moved = join(elsewhere, basename(getReceivedFolder(stage, transfer)));
    await cp(getReceivedFolder(stage, transfer), moved, { recursive: true });
    await rm(getReceivedFolder(stage, transfer), { recursive: true });
    const { person } = stage;
    const verify = (): Promise<void> =>
      stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key: transfer.key });
    let done = verify();
    const gone = await person.notice();
    assert.ok(gone.message.includes(getReceivedFolder(stage, transfer)), gone.message);
    gone.press('Select Folder…');
    (await person.folderDialog()).choose(Uri.file(empty));
    const notThere = await person.notice();
    assert.ok(notThere.message.includes(join(empty, basename(moved))), notThere.message);
    notThere.press('Select Folder…');
    (await person.folderDialog()).choose(Uri.file(moved));
    (await person.notice(/^All 3 files verified: all hashes match\.$/)).dismiss();
    await done;
    const asked = person.inputs.length;
    done = verify();
    (await person.notice(/^All 3 files verified: all hashes match\.$/)).dismiss();
    await done;
    assert.equal(person.inputs.length, asked, 'there is no other prompt');
    await Promise.all([elsewhere, empty].map(async (folder) => await rm(folder, { recursive: true })));
  });

  it('asks for the folder of a remote service, and rejects the manifest of another transfer', async () => {
    await stage.connectToPublic();
    await stage.search('JGI Data Portal', 'JDP:00000');
    await stage.transferAll('KBase Workspace Service (KSS)');
    const [submitted] = stage.parts.transferStore.getAll();
    assert.ok(submitted?.id);
    await stage.run('dataTransfer.verifyLandedFiles', stage.firstTransfer);
    await stage.person.notice(/^This transfer hasn't finished yet\.$/);
    const { person } = stage;
    await stage.parts.transferFlow.save({ ...submitted, state: 'succeeded' });
    await person.notice(/^(?:Incomplete: 0 of|Transferred) 10 files/);
    const received = await ReceivedFolder.create();
    await received.addTransferred({ 'a.txt': 'a' });
    const verify = (): Promise<void> => stage.run('dataTransfer.verifyLandedFiles', stage.firstTransfer);
    let done = verify();
    const dialog = await person.folderDialog();
    assert.match(dialog.text, new RegExp(`^Select the dts-${submitted.id} folder or its parent folder`));
    dialog.choose(Uri.file(received.folder));
    (await person.notice(/manifest\.json is the manifest of a different transfer\.$/)).dismiss();
    await done;
    const own = submitted.order.files.map(({ id }) => ({ id, path: `${id.replace(':', '_')}.fa`, hash: '' }));
    await received.describe({ username: 'carberry', resources: own.slice(1) });
    await rename(received.folder, join(received.root, `dts-${submitted.id}`));
    done = verify();
    (await person.folderDialog()).choose(Uri.file(dirname(received.root)));
    const outcome = await person.notice();
    const text =
      "9 files are missing. 1 requested file isn't in the manifest. 1 file in the folder isn't in the manifest.";
    assert.equal(outcome.message, text);
    stage.server.on('GET /', json({ name: 'DTS prototype', version: '0.13.0' }));
    const { sessions, connectFlow } = stage.parts;
    assert.ok(sessions.active);
    await connectFlow.open(sessions.active.connection, 'the-key');
    outcome.press('Transfer Missing or Changed Files Again…');
    (await person.notice(/^Transfer 10 files to /)).press('Transfer');
    await done;
    const sent = stage.server.requestsTo('POST /api/v1/transfers').map(({ body }) => JSON.parse(body) as object);
    assert.deepEqual(sent[1], sent[0], 'the form of database names is determined first (D7)');
    await received.remove();
  });

  it('explains why a file is not a valid manifest', async () => {
    const received = await ReceivedFolder.create();
    const verify = (): Promise<void> => stage.run('dataTransfer.verifyLandedFiles', Uri.file(received.manifest));
    await verify();
    await stage.person.notice(/^No manifest found at .*manifest\.json\.$/);
    await received.describe('{');
    await verify();
    await stage.person.notice(/manifest\.json isn't a manifest: it isn't valid JSON\.$/);
    await received.describe({});
    await verify();
    await stage.person.notice(/manifest\.json isn't a manifest: it has no list of files\.$/);
    await stage.run('dataTransfer.verifyLandedFiles', Uri.parse('vscode-vfs://github/a/manifest.json'));
    await stage.person.notice(/isn't on this machine, so it can't be used here\.$/);
    await received.remove();
  });

  it('shows text from a manifest as lines of plain text', async () => {
    const received = await ReceivedFolder.create();
    const resources = Object.values(hostileTexts).flatMap((text) => [
      { path: `a/${text}`, id: text, hash: text },
      { path: `../${text}` },
      { path: text, bytes: text },
    ]);
    await received.describe({ created: hostileTexts['line breaks'], resources });
    const done = stage.run('dataTransfer.verifyLandedFiles', Uri.file(received.manifest));
    (await stage.person.notice(/^\d+ (of \d+ )?files are missing/)).press('Show Report');
    await done;
    const text = await report();
    assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    assert.ok(text.split('\n').every((one) => one.length < 4_200));
    await received.remove();
  });
});
