import assert from 'node:assert/strict';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import { createStagingLookup, getReportedStaging, type FileStaging } from '../../../src/core/model/searchModel.ts';

function file(id: string, resource: Record<string, unknown> = {}): FileEntry {
  return { kind: 'file', id, database: 'Alpha', name: id, resource: { id, ...resource } };
}

function search(status: FileStaging | undefined, ...ids: string[]): Parameters<typeof createStagingLookup>[0][number] {
  const query = { database: 'Alpha', ...(status && { status }) };
  return { connectionId: 'c', query, files: [...ids.map((id) => file(id)), { kind: 'unreadable' }] };
}

describe('The staging of a file (D31)', () => {
  const cases = [
    [{ staged: true }, 'staged'],
    [{ staged: false }, 'unstaged'],
    [{ status: 'unstaged' }, 'unstaged'],
    [{ file_status: 'staged' }, 'staged'],
    [{ status: 'published' }, undefined],
    [{ staged: 'perhaps', status: null }, undefined],
    [{}, undefined],
  ] as const;
  for (const [resource, expected] of cases)
    it(`is read from ${JSON.stringify(resource)} as ${expected ?? 'nothing'}`, () => {
      assert.equal(getReportedStaging(file('a', resource)), expected);
    });

  it('is known only from searches that filtered by it', () => {
    const find = createStagingLookup([search('unstaged', 'a'), search('staged', 'a', 'b'), search(undefined, 'c')]);
    const getStaging = (id: string, database = 'Alpha', connectionId = 'c'): FileStaging | undefined =>
      find({ connectionId, database, id });
    assert.deepEqual([getStaging('a'), getStaging('b'), getStaging('c')], ['unstaged', 'staged', undefined]);
    assert.deepEqual([getStaging('a', 'Beta'), getStaging('a', 'Alpha', 'other')], [undefined, undefined]);
  });
});
