import assert from 'node:assert/strict';
import { compareAllFiles } from '../../../src/core/search/tableMatchFlow.ts';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import type { Reason } from '../../../src/core/model/reason.ts';
import { MatchIndex } from '../../../src/core/tables/matchIndex.ts';
import { matchRows } from '../../../src/core/tables/rowMatch.ts';
import { countStatuses } from '../../../src/core/tables/tableMatch.ts';
import { parseTextTable } from '../../../src/core/tables/dataTable.ts';

const fileCount = 12_345;

/** Counts the rows of a table of the values by status. */
function count(index: MatchIndex, values = index.values): ReturnType<typeof countStatuses> {
  const table = parseTextTable(values.join('\n'));
  return countStatuses(matchRows({ table, columns: [0], hasHeader: false }, index));
}

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
    assert.deepEqual(count(index), { matched: fileCount, notFound: 1 });
  });

  it('splits a page whose response is too large, and compares every file', async () => {
    const index = await compare((start, end) => (end - start > 1_000 ? { kind: 'tooLarge' } : undefined));
    assert.deepEqual(count(index), { matched: fileCount, notFound: 1 });
    assert.deepEqual(index.skippedFiles, []);
    assert.ok(requests.length < 60, `${requests.length} requests`);
  });

  it('skips the one file that is too large by itself, and reports its position', async () => {
    const index = await compare((start, end) => (start <= 5_432 && end > 5_432 ? { kind: 'tooLarge' } : undefined));
    assert.deepEqual(index.skippedFiles, [{ start: 5_432, count: 1, reason: { kind: 'tooLarge' } }]);
    assert.equal(index.values.filter((value) => index.get(value)?.count === 1).length, fileCount - 1);
    const all = fileCount + 1;
    assert.deepEqual(count(index), { incomplete: all }, 'another file may have the same name as the one left out');
  });

  it('continues from the cursor of each page, also past a file that is too large (D9)', async () => {
    hasCursors = true;
    const index = await compare((start, end) => (start <= 5_432 && end > 5_432 ? { kind: 'tooLarge' } : undefined));
    assert.deepEqual(index.skippedFiles, [{ start: 5_432, count: 1, reason: { kind: 'tooLarge' } }]);
    assert.equal(index.values.filter((value) => index.get(value)?.count === 1).length, fileCount - 1);
  });

  it('reports the first file that was not compared after a failure', async () => {
    const index = await compare((start) => (start === 10_000 ? { kind: 'timeout' } : undefined));
    assert.deepEqual(index.skippedFiles, [{ start: 10_000, reason: { kind: 'timeout' } }]);
    assert.deepEqual(count(index, ['file 1', 'file 12000']), { incomplete: 2 });
  });

  it('gives up after a hundred files that are too large', async () => {
    const index = await compare(() => ({ kind: 'tooLarge' }));
    assert.equal(index.skippedFiles.length, 101);
    assert.deepEqual(index.skippedFiles.at(-1), { start: 100, reason: { kind: 'tooLarge' } });
  });
});
