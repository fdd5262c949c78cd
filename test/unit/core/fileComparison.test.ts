import assert from 'node:assert/strict';
import { compareAllFiles } from '../../../src/core/search/tableMatchFlow.ts';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import type { Reason } from '../../../src/core/model/reason.ts';
import { countStatuses, MatchIndex } from '../../../src/core/tables/tableMatch.ts';
import { parseTextTable } from '../../../src/core/tables/dataTable.ts';

const fileCount = 12_345;

function createFile(position: number): FileEntry {
  const id = String(position);
  return { kind: 'file', id, database: 'Alpha', name: `file ${id}`, resource: {} };
}

describe('Comparing all files of a database', () => {
  let requests: (readonly [number, number])[];
  /** True if the service sends cursors: the position after a page, as text. */
  let hasCursors: boolean;
  beforeEach(() => {
    requests = [];
    hasCursors = false;
  });

  /** Compares all files of a service. The request for a page fails if `fail` returns a reason. */
  const compare = async (fail: (start: number, end: number) => Reason | undefined): Promise<MatchIndex> => {
    const values = Array.from({ length: fileCount + 1 }, (_, position) => `file ${position}`);
    const index = new MatchIndex('name', values);
    const requestPage: Parameters<typeof compareAllFiles>[1]['requestPage'] = async (position, limit) => {
      const offset = Number(position.cursor ?? 0) + position.offset;
      requests.push([offset, limit]);
      const end = Math.min(offset + limit, fileCount);
      const reason = fail(offset, end);
      const value = Array.from({ length: Math.max(0, end - offset) }, (_, at) => createFile(offset + at));
      const cursor = hasCursors ? { cursor: String(end) } : {};
      return await Promise.resolve(reason ? { reason } : { value, ...cursor });
    };
    await compareAllFiles(index, { requestPage, onProgress: () => undefined });
    return index;
  };

  it('requests each page once', async () => {
    const index = await compare(() => undefined);
    assert.deepEqual(requests, [
      [0, 5_000],
      [5_000, 5_000],
      [10_000, 5_000],
    ]);
    assert.equal(index.uniqueFiles.length, fileCount);
  });

  it('splits a page whose response is too large, and compares every file', async () => {
    const index = await compare((start, end) => (end - start > 1_000 ? { kind: 'tooLarge' } : undefined));
    assert.equal(index.uniqueFiles.length, fileCount);
    assert.deepEqual(index.skippedFiles, []);
    assert.ok(requests.length < 60, `${requests.length} requests`);
  });

  it('skips the one file that is too large by itself, and reports its position', async () => {
    const index = await compare((start, end) => (start <= 5_432 && end > 5_432 ? { kind: 'tooLarge' } : undefined));
    assert.deepEqual(index.skippedFiles, [{ start: 5_432, count: 1, reason: { kind: 'tooLarge' } }]);
    assert.equal(index.files.length, fileCount - 1);
    assert.equal(index.uniqueFiles.length, 0, 'another file with the same name may be the one that was left out');
  });

  it('continues from the cursor of each page, also past a file that is too large (D9)', async () => {
    hasCursors = true;
    const index = await compare((start, end) => (start <= 5_432 && end > 5_432 ? { kind: 'tooLarge' } : undefined));
    assert.deepEqual(index.skippedFiles, [{ start: 5_432, count: 1, reason: { kind: 'tooLarge' } }]);
    assert.equal(index.files.length, fileCount - 1);
  });

  it('reports the first file that was not compared after a failure', async () => {
    const index = await compare((start) => (start === 10_000 ? { kind: 'timeout' } : undefined));
    assert.deepEqual(index.skippedFiles, [{ start: 10_000, reason: { kind: 'timeout' } }]);
    const table = parseTextTable('name\nfile 1\nfile 12000\n');
    const counts = countStatuses({ table, column: 0, hasHeader: true, index });
    assert.deepEqual([counts.incomplete, counts.matched, counts.notFound], [2, 0, 0]);
  });

  it('gives up after a hundred files that are too large', async () => {
    const index = await compare(() => ({ kind: 'tooLarge' }));
    assert.equal(index.skippedFiles.length, 101);
    assert.deepEqual(index.skippedFiles.at(-1), { start: 100, reason: { kind: 'tooLarge' } });
  });
});
