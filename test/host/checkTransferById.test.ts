import assert from 'node:assert/strict';
import { env } from 'vscode';
import { problem } from '../support/faultBehaviors.ts';
import type { PublicState } from '../support/faultPersonality.ts';
import { orcid, Stage } from './stage.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';

describe('Checking a transfer by its ID', () => {
  let stage: Stage;
  let service: PublicState;
  beforeEach(async () => {
    await env.clipboard.writeText('');
    stage = await Stage.openConnected();
    service = stage.service;
    service.transfers.set(id, { orcid: 'other', status: 'active', num_files: 5, num_files_transferred: 2 });
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  const check = async (text: string): Promise<void> => {
    const done = stage.run('dataTransfer.checkTransferById');
    (await stage.person.textBox()).enter(text);
    await done;
  };

  it('tracks a transfer that was started elsewhere, with the details that the service reports', async () => {
    await check(id);
    const [taken] = stage.parts.transferStore.getRunning();
    assert.deepEqual(
      [taken?.id, taken?.state, taken?.startedElsewhere, taken?.order.orcid, taken?.status?.fileCount],
      [id, 'active', true, orcid, 5],
    );
    const done = stage.run('dataTransfer.cancelTransfer');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, ['5 files (started elsewhere)']);
    pick.escape();
    await done;
  });

  it('shows a transfer that is already in the list, and tracks it only once', async () => {
    await check(id);
    await check(`{${id.toUpperCase()}}`);
    assert.equal(stage.parts.transferStore.getAll().length, 1);
    assert.deepEqual(stage.person.statusMessages.slice(-2), [
      'Now tracking this transfer.',
      'This transfer is already in the list.',
    ]);
  });

  it('reports an unknown ID in the input, and adds nothing', async () => {
    const done = stage.run('dataTransfer.checkTransferById');
    const box = await stage.person.textBox();
    box.enter('00000000-0000-4000-8000-000000000000');
    assert.match(await box.complaint(), /^Could not check this ID: not found on the service: transfer not found/);
    box.escape();
    await done;
    assert.deepEqual(stage.parts.transferStore.getAll(), []);
  });

  it('reports that only the submitter may cancel it, if the service requires that', async () => {
    await check(id);
    stage.server.on('DELETE /api/v1/transfers/*', problem(403, 'this is not your transfer'));
    const done = stage.run('dataTransfer.cancelTransfer', stage.firstTransfer);
    (await stage.person.notice(/^Cancel the transfer of 5 files \(started elsewhere\)\?$/)).press('Cancel Transfer');
    await done;
    const notice = await stage.person.notice(/^Could not cancel/);
    assert.match(notice.message, /only the person who started it can cancel it \(.*this is not your transfer\)$/);
  });

  it('is not said to continue if the response to its cancel belongs to another request (D35)', async () => {
    await check(id);
    const stranger = '99999999-9999-4999-8999-999999999999';
    stage.server.on('DELETE /api/v1/transfers/*', problem(500, `cannot cancel transfer ${stranger}: invalid Orcid`));
    const done = stage.run('dataTransfer.cancelTransfer', stage.firstTransfer);
    (await stage.person.notice(/^Cancel the transfer of 5 files \(started elsewhere\)\?$/)).press('Cancel Transfer');
    await done;
    const notice = await stage.person.notice(/^It's unclear/);
    const why = "the server's response belongs to another request";
    assert.equal(notice.message, `It's unclear whether the transfer will be canceled: ${why}`);
  });

  it('cannot be submitted again, because its files are unknown', async () => {
    await check(id);
    await stage.moveOn(service, 'failed');
    await stage.run('dataTransfer.submitAgain', stage.firstTransfer);
    await stage.person.notice(/^This transfer was started elsewhere, so its files are unknown here\.$/);
  });
});
