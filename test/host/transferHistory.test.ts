import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uri } from 'vscode';
import { publicLike } from '../support/faultPersonality.ts';
import { transfer } from './specimens.ts';
import { Stage } from './stage.ts';

describe('The history of transfers', () => {
  let stage: Stage;
  let round = 0;
  // The ledger ignores new records under a removed key, so each round uses new keys.
  const key = (name: string): string => `${name}-${String(round)}`;
  beforeEach(async () => {
    round += 1;
    stage = await Stage.open();
    publicLike(stage.server, 'the-key');
    const { transferFlow } = stage.parts;
    await transferFlow.save(
      transfer(key('old'), { state: 'succeeded', createdAt: 1 }, { description: 'winter =survey' }),
    );
    await transferFlow.save(transfer(key('new'), { state: 'failed', createdAt: 2 }, { destination: 'Gamma' }));
    await transferFlow.save(transfer(key('open'), { state: 'notConfirmed', createdAt: 3 }, { destination: 'Delta' }));
  });
  afterEach(() => stage.close());

  const names = (): readonly string[] => stage.parts.transferStore.getAll().map((one) => one.key.replace(/-\d+$/, ''));

  it('removes a transfer immediately, and restores it', async () => {
    await stage.run('dataTransfer.removeFromHistory', { kind: 'transfer', key: key('old') });
    assert.deepEqual(names(), ['open', 'new']);
    (await stage.person.notice(/^Removed “2 files to Beta” from the history\.$/)).press('Undo');
    await stage.transferHere(key('old'));
    assert.deepEqual(names(), ['open', 'new', 'old']);
  });

  it('keeps a running transfer', async () => {
    await stage.parts.transferFlow.save(transfer(key('runs'), { createdAt: 4 }));
    await stage.run('dataTransfer.removeFromHistory', { kind: 'transfer', key: key('runs') });
    await stage.person.notice(/^This transfer is still running\. Cancel it first\.$/);
    assert.equal(names()[0], 'runs');
  });

  it('removes a transfer whose cancellation the service ignores (D13) after confirmation, and restores it', async () => {
    const stuck = transfer(key('stuck'), { state: 'staging', createdAt: 4, cancelAcceptedAt: 5, cancelUnheeded: true });
    await stage.parts.transferFlow.save(stuck);
    const done = stage.run('dataTransfer.removeFromHistory', { kind: 'transfer', key: stuck.key });
    const question = await stage.person.notice(/^Remove “2 files to Beta” from the history\?$/);
    assert.match(question.detail, /accepted the cancellation but hasn't stopped the transfer/);
    question.press('Remove');
    await done;
    assert.ok(!names().includes('stuck'));
    (await stage.person.notice(/^Removed “.*” from the history/)).press('Undo');
    await stage.transferHere(stuck.key);
    assert.deepEqual(
      stage.parts.transferStore.getRunning().map((one) => one.key),
      [stuck.key],
    );
  });

  it('clears only ended transfers, and restores them', async () => {
    await stage.run('dataTransfer.clearFinishedTransfers');
    assert.deepEqual(names(), ['open']);
    (
      await stage.person.notice(/^Removed 2 finished transfers from the history\. Their files weren't deleted\.$/)
    ).press('Undo');
    await stage.transferHere(key('old'));
    await stage.transferHere(key('new'));
    assert.deepEqual(names(), ['open', 'new', 'old']);
  });

  it('asks for confirmation before it clears more than twenty transfers', async () => {
    const { transferFlow, transferStore } = stage.parts;
    const more = Array.from({ length: 19 }, (_, index) => transfer(key(`more${index}`), { state: 'succeeded' }));
    for (const one of more) await transferFlow.save(one);
    const left = stage.run('dataTransfer.clearFinishedTransfers');
    const question = await stage.person.notice(/^Remove 21 finished transfers from the history\?$/);
    assert.equal(question.isModal, true);
    assert.match(question.detail, /To restore the transfers within one day, use "Restore Removed Transfers…"/);
    question.dismiss();
    await left;
    assert.equal(transferStore.getFinished().length, 21);
    const cleared = stage.run('dataTransfer.clearFinishedTransfers');
    (await stage.person.notice(/^Remove 21 finished/)).press('Remove');
    await cleared;
    assert.equal(transferStore.getFinished().length, 0);
  });

  it('restores one or all transfers removed in the last day, even after the notification is gone', async () => {
    await stage.run('dataTransfer.clearFinishedTransfers');
    const one = stage.run('dataTransfer.restoreRemovedTransfers');
    const pick = await stage.person.pick();
    assert.match(pick.labels[0] ?? '', /^Restore all \d+ transfers$/);
    pick.type('gamma');
    assert.ok(pick.labels.length > 0 && pick.labels.every((label) => label === '2 files to Gamma'));
    pick.choose('2 files to Gamma');
    await one;
    assert.equal(stage.parts.transferStore.getFinished().length, 1);
    const all = stage.run('dataTransfer.restoreRemovedTransfers');
    const again = await stage.person.pick();
    again.choose(again.labels[0] ?? '');
    await all;
    await stage.transferHere(key('old'));
    await stage.transferHere(key('new'));
  });

  it('can be searched by file, database, description and ID', async () => {
    const done = stage.run('dataTransfer.findInHistory');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, ['2 files to Gamma', '2 files to Beta']);
    for (const [text, labels] of [
      ['f2.csv', ['2 files to Gamma', '2 files to Beta']],
      ['gamma', ['2 files to Gamma']],
      ['Winter', ['2 files to Beta']],
      ['id-new', ['2 files to Gamma']],
      ['nothing has this', []],
    ] as const) {
      pick.type(text);
      assert.deepEqual(pick.labels, labels, text);
      assert.ok(pick.items.every(({ alwaysShow }) => alwaysShow));
    }
    pick.type('f1.csv beta');
    assert.equal(pick.items[0]?.detail, 'contains f1.csv');
    pick.choose('2 files to Beta');
    await done;
    await stage.tab('Transfer to Beta');
    await stage.closePages();
  });

  describe('exported', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'history-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    const exportTo = async (name: string): Promise<string> => {
      const done = stage.run('dataTransfer.exportTransferHistory');
      const dialog = await stage.person.saveDialog();
      assert.match(dialog.text, /transfers-\d{4}-\d\d-\d\d\.csv/);
      dialog.choose(Uri.file(join(folder, name)));
      await done;
      await stage.person.notice(/^Exported 3 transfers\.$/);
      assert.deepEqual(await readdir(folder), [name]);
      return await readFile(join(folder, name), 'utf8');
    };

    it('is CSV if the file name ends in .csv', async () => {
      const lines = (await exportTo('h.CSV')).split('\r\n');
      assert.equal(lines.length, 5);
      assert.match(lines[3] ?? '', /^id-old-\d+,c,Alpha,Beta,succeeded,2,,,/);
    });

    it('is JSON otherwise', async () => {
      const { transfers } = JSON.parse(await exportTo('h.json')) as { transfers: { key: string }[] };
      assert.deepEqual(
        transfers.map((one) => one.key.replace(/-\d+$/, '')),
        ['open', 'new', 'old'],
      );
    });

    it('reports a write failure, and leaves no file behind', async () => {
      const done = stage.run('dataTransfer.exportTransferHistory');
      (await stage.person.saveDialog()).choose(Uri.file(join(folder, 'missing', 'h.csv')));
      await done;
      await stage.person.notice(/^Could not export the history to .*ENOENT/);
      assert.deepEqual(await readdir(folder), []);
    });
  });
});
