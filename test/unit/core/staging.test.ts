import assert from 'node:assert/strict';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import type { StagingStatus } from '../../../src/core/model/searchQuery.ts';
import { stagingFound, stagingToldOf } from '../../../src/core/model/staging.ts';

function file(id: string, resource: Record<string, unknown> = {}): FileEntry {
  return { kind: 'file', id, database: 'Alpha', name: id, resource: { id, ...resource } };
}

function search(status: StagingStatus | undefined, ...ids: string[]): Parameters<typeof stagingFound>[0][number] {
  const query = { database: 'Alpha', ...(status && { status }) };
  return { connectionId: 'c', query, files: [...ids.map((id) => file(id)), { kind: 'unreadable' }] };
}

describe('How a file is staged (D31)', () => {
  const told = [
    [{ staged: true }, 'staged'],
    [{ staged: false }, 'unstaged'],
    [{ status: 'unstaged' }, 'unstaged'],
    [{ file_status: 'staged' }, 'staged'],
    [{ status: 'published' }, undefined],
    [{ staged: 'perhaps', status: null }, undefined],
    [{}, undefined],
  ] as const;
  for (const [resource, wanted] of told)
    it(`is told by ${JSON.stringify(resource)} as ${wanted ?? 'nothing'}`, () => {
      assert.equal(stagingToldOf(file('a', resource)), wanted);
    });

  it('is known of what a search found that asked for it, and of nothing else', () => {
    const find = stagingFound([search('unstaged', 'a'), search('staged', 'a', 'b'), search(undefined, 'c')]);
    const statusOf = (id: string, database = 'Alpha', connectionId = 'c'): StagingStatus | undefined =>
      find({ connectionId, database, id });
    assert.deepEqual([statusOf('a'), statusOf('b'), statusOf('c')], ['unstaged', 'staged', undefined]);
    assert.deepEqual([statusOf('a', 'Beta'), statusOf('a', 'Alpha', 'other')], [undefined, undefined]);
  });
});
