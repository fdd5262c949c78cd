import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { withState, type Transfer } from '../../../src/core/model/transferModel.ts';
import { findUntransferredFiles } from '../../../src/core/verification/manifestMatch.ts';
import { ReceivedFolder } from '../../support/receivedFolder.ts';
import { running } from './specimens.ts';

describe('The files that a transfer left out', () => {
  let transferred: ReceivedFolder;
  beforeEach(async () => {
    transferred = await ReceivedFolder.create();
  });
  afterEach(() => transferred.remove());

  const requested = ['a', 'b', 'c'].map((id) => ({ id, name: `${id}.txt` }));
  const moved = (movedFileCount: number): Transfer => ({
    ...withState(running, 'succeeded', 1),
    order: { ...running.order, files: requested },
    status: { fileCount: 3, movedFileCount },
  });
  const findIds = async (transfer: Transfer): Promise<readonly string[]> => {
    const { folder, manifest } = transferred;
    return (await findUntransferredFiles(transfer, { folder, manifest })).map(({ id }) => id);
  };
  const list = async (...resources: readonly object[]): Promise<void> =>
    await writeFile(transferred.manifest, JSON.stringify({ resources }));

  it('are those that its manifest does not list', async () => {
    await list({ id: 'b', path: 'b.txt' });
    assert.deepEqual(await findIds(moved(1)), ['a', 'c']);
  });

  it('are unknown if the manifest contradicts the count of the service', async () => {
    await list({ id: 'b', path: 'b.txt' });
    assert.deepEqual(await findIds(moved(2)), []);
  });

  it('are unknown without a manifest, or if it has no IDs', async () => {
    assert.deepEqual(await findIds(moved(1)), []);
    assert.deepEqual(await findUntransferredFiles(moved(1), undefined), []);
    await list({ path: 'b.txt' });
    assert.deepEqual(await findIds(moved(1)), []);
  });

  it('are none if the service counts all files', async () => {
    await list({ id: 'b', path: 'b.txt' });
    assert.deepEqual(await findIds(moved(3)), []);
  });
});
