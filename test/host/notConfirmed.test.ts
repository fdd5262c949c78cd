import assert from 'node:assert/strict';
import { env } from 'vscode';
import type { Transfer } from '../../src/core/model/transferModel.ts';
import { dropBeforeAnswer, json, problem } from '../support/faultBehaviors.ts';
import { publicLike, type PublicState } from '../support/faultPersonality.ts';
import { Stage } from './stage.ts';

const nmdc = 'National Microbiome Data Collaborative';
const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';

describe('An unconfirmed transfer (D12)', () => {
  let stage: Stage;
  let service: PublicState;
  beforeEach(async () => {
    await env.clipboard.writeText('');
    stage = await Stage.openConnected();
    service = stage.service;
    await stage.search('JGI Data Portal', 'JDP:00000');
    stage.server.on('POST /api/v1/transfers', dropBeforeAnswer());
    await stage.transferAll(nmdc);
  });
  afterEach(() => stage.close());

  const only = (): Transfer => {
    const [transfer] = stage.parts.transferStore.getAll();
    assert.ok(transfer);
    return transfer;
  };
  const runUnder = (given: string, files = 10): void => {
    service.transfers.set(given, { orcid: 'x', status: 'active', num_files: files, num_files_transferred: 2 });
  };

  it('is reported once, with two actions', async () => {
    const notice = await stage.person.notice(/^It's unclear whether the transfer of 10 files to .* has started: /);
    assert.deepEqual(notice.buttons, ['Mark as Started…', 'Submit Again (Not Started)…']);
    notice.press('Mark as Started…');
    const box = await stage.person.textBox();
    assert.match(box.prompt ?? '', /folder whose name is dts-/);
    box.escape();
    assert.equal(only().state, 'notConfirmed');
  });

  it('did start: accepts the ID or a folder name, and tracks the transfer in the same record', async () => {
    runUnder(id);
    const { key } = only();
    const done = stage.run('dataTransfer.transferDidStart', stage.firstTransfer);
    (await stage.person.textBox()).enter(`/data/someone/dts-${id}/`);
    await done;
    const { key: same, id: kept, state, problem } = only();
    assert.deepEqual([same, kept, state, problem], [key, id, 'active', undefined]);
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 1);
  });

  it('suggests an ID from the clipboard', async () => {
    await env.clipboard.writeText(` ${id.toUpperCase()}\n`);
    const done = stage.run('dataTransfer.transferDidStart');
    (await stage.person.pick()).choose(`10 files to ${nmdc}`);
    const box = await stage.person.textBox();
    assert.equal(box.value, id);
    box.escape();
    await done;
  });

  it('stays in the list if the entered ID is invalid or unknown to the service', async () => {
    const done = stage.run('dataTransfer.transferDidStart', stage.firstTransfer);
    const box = await stage.person.textBox();
    box.enter('dts-1');
    assert.equal(await box.complaint(), 'Enter a valid transfer ID.');
    box.type('');
    box.enter(id);
    assert.match(await box.complaint(), /^Could not check this ID: not found on the service/);
    box.escape();
    await done;
    assert.equal(only().id, undefined);
  });

  it('asks for confirmation if the service reports another file count', async () => {
    runUnder(id, 4);
    for (const press of [false, true]) {
      const done = stage.run('dataTransfer.transferDidStart', stage.firstTransfer);
      (await stage.person.textBox()).enter(id);
      const question = await stage.person.notice(/^The service reports 4 files for this ID\. Is this the right ID\?$/);
      assert.equal(question.detail, '10 files were requested.');
      if (press) question.press('Yes');
      else question.dismiss();
      await done;
      assert.equal(only().id, press ? id : undefined);
    }
  });

  it('did not start: is replaced by the new transfer, without a warning about the same files', async () => {
    publicLike(stage.server, 'the-key');
    const old = only().key;
    const done = stage.run('dataTransfer.transferDidNotStart', stage.firstTransfer);
    const summary = await stage.person.notice(/^Transfer 10 files to .*\?$/);
    assert.match(summary.detail, /If the earlier transfer did start, the same data will be transferred twice\.$/);
    assert.deepEqual(summary.buttons, ['Transfer', 'Edit…']);
    summary.press('Transfer');
    await done;
    const { transferStore } = stage.parts;
    const [submitted] = transferStore.getRunning();
    assert.ok(submitted);
    const given = transferStore.get(old);
    assert.deepEqual([given?.state, given?.replacedBy], ['refused', submitted.key]);
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 2);
  });

  it('did not start: warns about the ID that may have crashed the server before it is sent again (D37)', async () => {
    publicLike(stage.server, 'the-key').crashingIds.add('JDP:000003');
    const done = stage.run('dataTransfer.transferDidNotStart', stage.firstTransfer);
    const summary = await stage.person.notice(/^Transfer 10 files to .*\?$/);
    const risk =
      'Sending this ID may crash the server: the connection closed when the ID was looked up. ID: JDP:000003';
    assert.deepEqual(summary.detail.split('\n').slice(-1), [risk]);
    assert.deepEqual(summary.buttons, ['Transfer Anyway', 'Edit…']);
    summary.dismiss();
    await done;
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 1);
  });

  it('did not start: reports the IDs that could not be checked (D37)', async () => {
    stage.server.on('POST /api/v1/files/by-id', problem(503, 'unavailable'));
    const done = stage.run('dataTransfer.submitAgain', stage.firstTransfer);
    const summary = await stage.person.notice(/^Transfer 10 files to .*\?$/);
    assert.match(
      summary.detail,
      /These 10 IDs couldn't be checked, and sending them may crash the server\. IDs: JDP:000000, .*5 more$/,
    );
    summary.dismiss();
    await done;
  });

  it('does not change if the user cancels the summary', async () => {
    const done = stage.run('dataTransfer.transferDidNotStart', stage.firstTransfer);
    (await stage.person.notice(/^Transfer 10 files to .*\?$/)).dismiss();
    await done;
    assert.equal(only().state, 'notConfirmed');
  });

  it('is mentioned in a warning when its files are transferred again', async () => {
    const done = stage.run('dataTransfer.transferCheckedFiles');
    (await stage.person.pick()).choose(nmdc);
    (await stage.person.pick()).choose('Continue');
    const summary = await stage.person.notice(/^Transfer 10 files to .*\?$/);
    assert.match(summary.detail, /Submitted for transfer to .*, but not confirmed: 10 files\./);
    summary.dismiss();
    await done;
  });

  it('is removed from the history only after confirmation, and can be restored', async () => {
    const { key } = only();
    const done = stage.run('dataTransfer.removeFromHistory', stage.firstTransfer);
    const question = await stage.person.notice(/^Remove “.*” from the history\?$/);
    assert.match(question.detail, /unclear whether this transfer has started/);
    question.press('Remove');
    await done;
    assert.deepEqual(stage.parts.transferStore.getAll(), []);
    (await stage.person.notice(/^Removed “.*” from the history/)).press('Undo');
    await stage.transferHere(key);
    assert.equal(only().state, 'notConfirmed');
  });

  it('is distinguished from a transfer whose submission was answered', async () => {
    stage.server.on('POST /api/v1/transfers', json({ id }, 201));
    await stage.transferAll(nmdc);
    await stage.run('dataTransfer.transferDidStart', stage.firstTransfer);
    await stage.person.notice(/^The status of the transfer of 10 files to .* is now known\.$/);
  });
});

describe('A submission whose response belongs to another request (D35)', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    await stage.search('JGI Data Portal', 'JDP:00000');
  });
  afterEach(() => stage.close());

  const answers: readonly (readonly [answer: ReturnType<typeof json>, why: string])[] = [
    [
      json({ id: '00000000-0000-0000-0000-000000000000' }, 201),
      'the server returned a transfer ID of all zeros (00000000-0000-0000-0000-000000000000)',
    ],
    [
      problem(404, "The database 'neon' was not found"),
      "the server's response belongs to another request: The database 'neon' was not found",
    ],
  ];
  for (const [answer, why] of answers) {
    it(`is not confirmed, with the reason: ${why}`, async () => {
      stage.server.on('POST /api/v1/transfers', answer);
      await stage.transferAll(nmdc);
      const notice = await stage.person.notice(/^It's unclear whether the transfer of 10 files to .* has started: /);
      assert.ok(notice.message.endsWith(`: ${why}`), notice.message);
      assert.equal(stage.parts.transferStore.getAll()[0]?.state, 'notConfirmed');
    });
  }

  it("is not sent if the service's form of database names could not be determined first (D36)", async () => {
    stage.server.on('GET /', json({ name: 'DTS prototype', version: 'another one, of which nothing is known' }));
    await stage.connect('the-key');
    stage.server.on('POST /api/v1/files/by-id', problem(503, 'the database is down'));
    stage.server.on('GET /api/v1/files/by-id', problem(503, 'the database is down'));
    await stage.transferAll(nmdc);
    const { message } = await stage.person.notice(/^Could not transfer 10 files/);
    const why =
      "nothing was sent because the files couldn't be looked up: the service returned an error: the database is down";
    assert.ok(message.endsWith(`: ${why}`), message);
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 0);
  });
});
