import assert from 'node:assert/strict';
import { describeMissing, fetchFiles } from '../../../src/cli/commands/describeCommand.ts';
import { json } from '../../support/faultBehaviors.ts';
import { Rig } from './rig.ts';

describe('A description of files that have no metadata, on the command line', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    await rig.connect();
  });
  afterEach(() => rig.end());

  const describeFiles = async (resources: readonly unknown[]): Promise<string> => {
    rig.server.on('GET /api/v1/files/by-id', json({ resources }));
    return describeMissing('Alpha', await rig.advanceUntilSettled(fetchFiles(rig, 'c', 'Alpha', ['good', 'bad'])));
  };

  it('names those that the database does not have', async () => {
    assert.equal(await describeFiles([{ id: 'good' }]), "Alpha doesn't have 1 requested file: bad.");
  });

  it('does not report files as absent whose metadata is unreadable', async () => {
    const text = await describeFiles([{ id: 'good' }, { name: 'bad' }]);
    assert.equal(text, 'Alpha returned no readable metadata for 1 requested file: bad.');
  });
});
