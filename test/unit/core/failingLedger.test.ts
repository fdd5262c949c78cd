import assert from 'node:assert/strict';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from '../../support/faultBehaviors.ts';
import { AgentStage } from './agentStage.ts';
import { Rig } from './rig.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';

describe('A submission whose ledger fails', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    await rig.connect();
  });
  afterEach(() => rig.end());

  it('is accepted if the ledger fails while the service responds, so that it is not sent again (D12)', async () => {
    const folder = join(rig.folder, 'transfers', 'submitting');
    rig.server.on('POST /api/v1/transfers', async (request, response) => {
      await rename(folder, `${folder} away`);
      await writeFile(folder, 'a file where the folder should be');
      await json({ id }, 201)(request, response);
    });
    const { state, id: accepted } = await rig.explorer.transferFlow.submit(rig.order);
    assert.deepEqual([state, accepted], ['accepted', id]);
  });
});

describe('A plan of an agent whose transfer cannot be recorded', () => {
  let stage: AgentStage;
  beforeEach(async () => {
    stage = await AgentStage.start({ f1: {} });
    stage.decide = () => ({ kind: 'yes', by: 'test' });
  });
  afterEach(() => stage.end());

  it('is not submitted, which is reported', async () => {
    const planId = await stage.plan(['f1']);
    const folder = join(stage.rig.folder, 'transfers');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'submitting'), 'a file where the folder should be');
    const { content } = await stage.call('submit_transfer', { planId });
    const error = 'The transfer could not be saved (EEXIST), so nothing was submitted. Plan it again.';
    assert.deepEqual(content, { error, code: 'notSaved' });
    assert.equal(stage.submissionCount, 0);
    const { content: again } = await stage.call('submit_transfer', { planId });
    assert.match(String(again['error']), /was already confirmed/);
  });
});
