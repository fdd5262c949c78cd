import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uri, workspace } from 'vscode';
import type { FollowUpStatus } from '../../src/core/util/followUp.ts';
import type { TransferOrder } from '../../src/core/model/transferModel.ts';
import { resubmitFiles } from '../../src/extension/features/submission/resubmission.ts';
import { confirmSubmission } from '../../src/extension/features/submission/submissionSummary.ts';
import { listTransferFacts } from '../../src/extension/words/transferWords.ts';
import { transfer } from './specimens.ts';
import { Stage } from './stage.ts';

describe('What follows a transfer, in the editor (D72)', () => {
  let stage: Stage;
  let folder: string;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    stage.service.files.add('JDP:1');
    folder = await mkdtemp(join(tmpdir(), 'then-'));
  });
  afterEach(async () => {
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function writeRecipe(): Promise<Uri> {
    const uri = Uri.file(join(folder, 'r.transfer.json'));
    const from = { database: 'JGI Data Portal', ids: ['JDP:1'] };
    const to = { database: 'KBase Workspace Service (KSS)' };
    const recipe = { from, to, instructions: { type: 'assembly' }, then: { sbatch: 'jobs/analyse.sbatch' } };
    await writeFile(uri.fsPath, JSON.stringify(recipe));
    return uri;
  }

  it('is a line of the summary, and is never sent to a service that does not know it', async () => {
    const done = stage.run('dataTransfer.runRecipe', await writeRecipe());
    const summary = await stage.person.notice(/^Transfer 1 file to /);
    const lines = summary.detail.split('\n');
    assert.ok(lines.includes(`Afterwards: submit the job ${join(folder, 'jobs', 'analyse.sbatch')}`), summary.detail);
    assert.ok(lines.includes('Instructions: {"type":"assembly"}'), summary.detail);
    summary.press('Transfer');
    (await stage.person.notice(/the service starts nothing after a transfer/)).dismiss();
    await done;
    assert.equal(stage.service.transfers.size, 0);
  });

  it('is refused before the summary in an untrusted workspace', async () => {
    const trusted = Object.getOwnPropertyDescriptor(workspace, 'isTrusted');
    Object.defineProperty(workspace, 'isTrusted', { configurable: true, get: () => false });
    try {
      const done = stage.run('dataTransfer.runRecipe', await writeRecipe());
      (await stage.person.notice(/only in a trusted workspace can something be started/)).dismiss();
      await done;
    } finally {
      if (trusted) Object.defineProperty(workspace, 'isTrusted', trusted);
    }
    assert.equal(stage.service.transfers.size, 0);
  });

  function createOrder(source: string): TransferOrder {
    const { state } = stage.parts.connectionStore;
    assert.equal(state.kind, 'connected');
    const connectionId = state.connection.id;
    const instructions = { type: 'assembly', then: { sbatch: '/lab/analyse.sbatch' } };
    const files = [{ id: 'JDP:1', name: 'a.csv' }];
    return { ...transfer('t').order, connectionId, source, destination: 'Target', files, instructions };
  }

  it('is not started again after files that are transferred again', async () => {
    const earlier = transfer('t', { state: 'succeeded' }, createOrder('JGI Data Portal'));
    const done = resubmitFiles(stage.parts, earlier, earlier.order.files);
    const summary = await stage.person.notice(/^Transfer 1 file to Target/);
    assert.match(summary.detail, /^Instructions: \{"type":"assembly"\}$/m);
    assert.doesNotMatch(summary.detail, /Afterwards/);
    summary.dismiss();
    await done;
  });

  it('is refused for several transfers, because each would start it', async () => {
    const orders = ['JGI Data Portal', 'Other'].map(createOrder);
    await assert.rejects(confirmSubmission(stage.parts, orders), /each would start what follows/);
  });

  it('is part of the warning that an unconfirmed transfer may have started (D12)', async () => {
    const done = confirmSubmission(stage.parts, [createOrder('JGI Data Portal')], { replacedKey: 'old' });
    const summary = await stage.person.notice(/^Transfer 1 file to Target/);
    assert.match(summary.detail, /the same data will be transferred twice, and what follows started twice\.$/);
    summary.dismiss();
    assert.equal(await done, 'cancel');
  });

  it('is a fact on the page and in the tooltip of its transfer', () => {
    const followUp: FollowUpStatus = { kind: 'sbatch', path: '/lab/analyse.sbatch', state: 'submitted', job: '17' };
    const given = { state: 'succeeded', status: { status: 'succeeded', followUp } } as const;
    const fact = listTransferFacts(transfer('t', given)).find(({ label }) => label === 'Afterwards');
    assert.deepEqual(fact, { label: 'Afterwards', text: 'submitted analyse.sbatch as job 17' });
  });
});
