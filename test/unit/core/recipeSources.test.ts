import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOmissions } from '../../../src/cli/recipes/planText.ts';
import { readStatedLicenses } from '../../../src/core/citations/creditText.ts';
import type { FileEntry, FoundFile } from '../../../src/core/model/fileEntry.ts';
import { findObstacle, planRecipe, toOrder, type RecipePlan } from '../../../src/core/recipes/planRecipe.ts';
import type { Recipe } from '../../../src/core/recipes/recipeSchema.ts';
import type { RecipeSource } from '../../../src/core/recipes/recipeFile.ts';
import type { LeftOutCounts } from '../../../src/core/util/leftOut.ts';
import { maxTableBytes } from '../../../src/core/tables/dataTable.ts';
import { maxColumns, TableError } from '../../../src/core/tables/tableError.ts';
import { MatchIndex } from '../../../src/core/tables/matchIndex.ts';

const failed = { kind: 'refused', detail: 'no' } as const;

function toFile(id: string, more: Partial<FileEntry> = {}): FileEntry {
  return { kind: 'file', id, database: 'Alpha', name: id, resource: {}, ...more };
}

function createFiles(count: number, from = 0): readonly FileEntry[] {
  return Array.from({ length: count }, (_, index) => toFile(`f${from + index}`));
}

/** A source that records its requests and returns scripted responses. */
class ScriptedSource implements RecipeSource {
  hasFullPages = true;
  readonly progress: number[] = [];
  readonly requests: unknown[] = [];
  page: (offset: number, size: number) => readonly FoundFile[] = () => [];
  cursor: string | undefined;
  found: (ids: readonly string[]) => readonly FoundFile[] = (ids) => ids.map((id) => toFile(id));
  match: (index: MatchIndex) => void = () => undefined;
  readonly readLicenses = readStatedLicenses;

  leftOut: LeftOutCounts | undefined;

  search({ offset, pageSize, ...query }: Parameters<RecipeSource['search']>[0]): ReturnType<RecipeSource['search']> {
    this.requests.push({ offset, pageSize, ...query });
    const cursor = this.cursor === undefined ? {} : { cursor: this.cursor };
    const leftOut = this.leftOut && offset === 0 ? { leftOut: this.leftOut } : {};
    return Promise.resolve({ value: this.page(offset, pageSize), ...cursor, ...leftOut });
  }

  lookUpIds(_: string, ids: readonly string[]): ReturnType<RecipeSource['lookUpIds']> {
    this.requests.push(ids);
    return Promise.resolve({ files: this.found(ids) });
  }

  matchTable(...[, key, values]: Parameters<RecipeSource['matchTable']>): Promise<MatchIndex> {
    const index = new MatchIndex(key, values);
    this.requests.push(index.values);
    this.match(index);
    return Promise.resolve(index);
  }

  onProgress(count: number): void {
    this.progress.push(count);
  }
}

describe('The files of a recipe (D61)', () => {
  let source: ScriptedSource;
  let folder: string;
  beforeEach(async () => {
    source = new ScriptedSource();
    folder = await mkdtemp(join(tmpdir(), 'recipe-sources-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const plan = async (from: Omit<Recipe['from'], 'database'>, more: Partial<Recipe> = {}): Promise<RecipePlan> =>
    await planRecipe(source, { recipe: { from: { database: 'Alpha', ...from }, ...more }, folder });

  describe('of a folder', () => {
    const paths = ['exp.zarr/.zgroup', 'exp.zarr/temp/0.0', 'exp.zarr2/x', 'EXP.zarr/y', 'sub/exp.zarr/z'];
    const ids = ({ files }: RecipePlan): unknown => files.map(({ path }) => path);
    beforeEach(() => {
      source.page = (offset) => (offset === 0 ? paths.map((path) => toFile(path, { path })) : []);
    });

    it('are those that the local service finds in it, with what its listing leaves out', async () => {
      source.leftOut = { hidden: 2 };
      const found = await plan({ folder: './exp.zarr/' });
      assert.deepEqual(source.requests, [
        { database: 'Alpha', query: '', offset: 0, pageSize: 5_000, specific: { folder: './exp.zarr/' } },
      ]);
      assert.deepEqual([ids(found), found.leftOut, found.isCut], [paths.slice(0, 2), { hidden: 2 }, false]);
    });

    it('are those of all files whose paths are in it, for a service without folders', async () => {
      source.hasFullPages = false;
      const found = await plan({ folder: 'exp.zarr' });
      assert.deepEqual(source.requests[0], { database: 'Alpha', query: '', offset: 0, pageSize: 500 });
      assert.deepEqual([ids(found), found.leftOut, found.isCut], [paths.slice(0, 2), undefined, false]);
    });
  });

  describe('by IDs', () => {
    it('are requested once each, 2,000 at a time', async () => {
      const ids = createFiles(4_500).map(({ id }) => id);
      const { files, missing } = await plan({ ids: [...ids, 'f0'] });
      assert.deepEqual([files.length, missing], [4_500, []]);
      assert.deepEqual(source.requests, [ids.slice(0, 2_000), ids.slice(2_000, 4_000), ids.slice(4_000)]);
      assert.deepEqual(source.progress, [2_000, 4_000, 4_500]);
    });

    it('are requested in one batch if they fill it', async () => {
      await plan({ ids: createFiles(2_000).map(({ id }) => id) });
      assert.deepEqual([source.requests.length, source.progress], [1, [2_000]]);
    });

    it('are missing if they cannot be read, but not if a filter leaves them out', async () => {
      source.found = () => [
        toFile('a', { path: 'a.gz' }),
        toFile('b', { path: 'b.txt' }),
        { kind: 'unreadable', text: 'c' },
      ];
      const { files, missing, isCut } = await plan({ ids: ['a', 'b', 'c'], filters: { paths: ['*.gz'] } });
      assert.deepEqual([files, missing, isCut], [[{ id: 'a', path: 'a.gz', licenses: [] }], ['c'], false]);
    });

    it('are missing if the service does not know them, but not if it could not look them up', async () => {
      const unknown = { id: 'b', reason: { kind: 'notFound' } } as const;
      source.lookUpIds = () => Promise.resolve({ files: [toFile('a')], refused: [unknown] });
      assert.deepEqual((await plan({ ids: ['a', 'b'] })).missing, ['b']);
      const reason = { kind: 'serverError', status: 500 } as const;
      source.lookUpIds = () => Promise.resolve({ files: [toFile('a')], refused: [unknown, { id: 'c', reason }] });
      const planned = await plan({ ids: ['a', 'b', 'c'] });
      assert.deepEqual([planned.missing, planned.failure], [[], { kind: 'service', reason }]);
    });

    it('are unknown if the service fails, without any other report', async () => {
      source.lookUpIds = () => Promise.resolve({ files: [toFile('a')], failure: failed });
      const planned = await plan({ ids: ['a'] }, { expect: { files: { least: 1 } } });
      assert.deepEqual(planned.failure, { kind: 'service', reason: failed });
      assert.deepEqual([planned.files, planned.missing, planned.unmet, source.progress], [[], [], [], []]);
      assert.equal(findObstacle(planned), 'failed');
    });
  });

  describe('by a search', () => {
    it('are requested in pages of 5,000 until one is not full', async () => {
      source.page = (offset, size) => createFiles(Math.min(size, 12_000 - offset), offset);
      const { files, isCut } = await plan({ search: { query: 'x', status: 'staged', specific: { f: 1 } } });
      assert.deepEqual([files.length, isCut], [12_000, false]);
      const query = { pageSize: 5_000, database: 'Alpha', query: 'x', status: 'staged', specific: { f: 1 } };
      assert.deepEqual(
        source.requests,
        [0, 5_000, 10_000].map((offset) => ({ offset, ...query })),
      );
      assert.deepEqual(source.progress, [5_000, 10_000, 12_000]);
    });

    it('continue from the cursor of a page instead of an offset (D9)', async () => {
      source.cursor = 'after the page';
      source.page = (_, size) => createFiles(source.requests.length < 3 ? size : 1, source.requests.length * size);
      const { files } = await plan({ search: { query: 'x' } });
      const query = { offset: 0, pageSize: 5_000, database: 'Alpha', query: 'x' };
      const next = { ...query, cursor: 'after the page' };
      assert.deepEqual([files.length, source.requests], [10_001, [query, next, next]]);
    });

    it('are requested until two pages in a row have no new file if the server may truncate pages', async () => {
      source.hasFullPages = false;
      source.page = (offset) => (offset === 0 ? createFiles(500) : createFiles(offset < 1_500 ? 3 : 0));
      const { files } = await plan({ search: { query: '' } });
      assert.deepEqual([files.length, source.requests.length], [500, 2]);
    });

    it('may not be all after three full pages without a new file (D9)', async () => {
      source.hasFullPages = false;
      source.page = (offset, size) => createFiles(size, offset === 0 ? 0 : offset % 1_000 === 0 ? 0 : 1);
      const stopped = await plan({ search: { query: '' } }, { to: { database: 'B' } });
      assert.deepEqual([stopped.files.length, stopped.isCut, source.requests.length], [501, true, 5]);
      assert.equal(findObstacle(stopped), 'stalled');
    });

    it('are all if the third page without a new file is the last one', async () => {
      source.hasFullPages = false;
      source.page = (offset, size) => createFiles(offset < 2_000 ? size : 3, offset % 1_000 === 0 ? 0 : 1);
      const planned = await plan({ search: { query: '' } }, { to: { database: 'B' } });
      assert.deepEqual([planned.files.length, planned.isCut, source.requests.length], [501, false, 5]);
      assert.equal(findObstacle(planned), undefined);
    });

    it('are limited to the expected number, plus one if there are more', async () => {
      source.page = (offset, size) => createFiles(Math.min(size, 5_001 - offset), offset);
      const exact = await plan(
        { search: { query: '' } },
        { expect: { files: { most: 5_001 } }, to: { database: 'B' } },
      );
      assert.deepEqual([exact.files.length, exact.isCut, findObstacle(exact)], [5_001, false, undefined]);
      const more = await plan({ search: { query: '' } }, { expect: { files: { most: 10 } } });
      assert.deepEqual([more.files.length, more.isCut], [11, true]);
      assert.deepEqual(more.unmet, [{ kind: 'manyFiles', limit: 10, actual: 11, isAtLeast: true }]);
    });

    it('count only once, and only those that can be read', async () => {
      source.page = () => [toFile('a'), toFile('a'), { kind: 'unreadable', text: 'b' }];
      assert.deepEqual((await plan({ search: { query: '' } })).files, [
        { id: 'a', path: 'a', isName: true, licenses: [] },
      ]);
      assert.deepEqual(source.progress, [1]);
    });
  });

  describe('by a table', () => {
    const table = { file: 'samples.csv', column: ' name ', key: 'name' } as const;

    it('match the cells of the column, none of which may be ambiguous', async () => {
      await writeFile(join(folder, 'samples.csv'), 'x,name\n1,a.txt\n2,b.txt\n3\n4,c.txt\n');
      source.match = (index) => {
        for (const [id, name] of [
          ['1', 'a.txt'],
          ['2', 'b.txt'],
          ['3', 'b.txt'],
        ] as const)
          index.add(toFile(id, { name }));
      };
      const { files, missing, doubts, isCut } = await plan({ table });
      assert.deepEqual(source.requests, [['a.txt', 'b.txt', 'c.txt']]);
      assert.deepEqual(
        [files, missing, isCut],
        [[{ id: '1', path: 'a.txt', isName: true, licenses: [] }], ['c.txt'], false],
      );
      assert.deepEqual(
        doubts?.map(({ kind, line, value }) => [kind, line, value]),
        [
          ['several', 3, 'b.txt'],
          ['empty', 4, ''],
        ],
      );
    });

    it('match by the property that the values look like, and otherwise by ID', async () => {
      await writeFile(join(folder, 'samples.csv'), `name,hash\nx1,${'a'.repeat(32)}\n`);
      let keys: readonly string[] = [];
      source.match = ({ key }) => (keys = [...keys, key]);
      for (const column of ['name', 'hash']) await plan({ table: { file: 'samples.csv', column } });
      assert.deepEqual(keys, ['name', 'hash']);
    });

    it('leave out rows in doubt only if the recipe says so', async () => {
      await writeFile(join(folder, 'samples.csv'), 'name\na.txt,b.txt\nc.txt\n');
      source.match = (index) => ['a.txt', 'c.txt'].forEach((id) => index.add(toFile(id)));
      const to = { database: 'B' };
      const refused = await plan({ table }, { to });
      assert.deepEqual([findObstacle(refused), refused.files.length], ['doubts', 1]);
      const sent = await plan({ table: { ...table, doubts: 'leaveOut' } }, { to });
      assert.deepEqual([findObstacle(sent), sent.files.map(({ id }) => id)], [undefined, ['c.txt']]);
      assert.deepEqual(
        sent.doubts?.map(({ kind, line }) => [kind, line]),
        [['longRow', 2]],
      );
    });

    it('are sent, and named, although they are in another folder than the table says', async () => {
      await writeFile(join(folder, 'samples.csv'), 'name\n/data/run/a.txt\n');
      source.match = (index) => index.add(toFile('other/a.txt', { path: 'other/a.txt' }));
      const planned = await plan({ table }, { to: { database: 'B' } });
      assert.deepEqual([findObstacle(planned), planned.doubts?.map(({ kind }) => kind)], [undefined, ['partial']]);
    });

    it('are not called left out if they are sent although they are in another folder', async () => {
      await writeFile(join(folder, 'samples.csv'), 'name\na.txt,b.txt\n/data/run/c.txt\n');
      source.match = (index) => index.add(toFile('other/c.txt', { path: 'other/c.txt' }));
      const planned = await plan({ table: { ...table, doubts: 'leaveOut' } }, { to: { database: 'B' } });
      const [leftOut, partial, ...others] = describeOmissions(planned);
      assert.match(leftOut ?? '', /^Rows in doubt were left out\. [^.]*: row 2 \(a\.txt\)\.$/);
      assert.match(partial ?? '', /^Rows in doubt: [^.]*: row 3 \(\/data\/run\/c\.txt\)\.$/);
      assert.deepEqual(others, []);
    });

    it('are in one column or several, whose names have to be unique', async () => {
      await writeFile(join(folder, 'samples.csv'), 'f_1,f_2,x,x\na.txt,b.txt,1,2\n');
      source.match = (index) => ['a.txt', 'b.txt'].forEach((id) => index.add(toFile(id)));
      const { files } = await plan({ table: { file: 'samples.csv', column: ['f_1', 'f_2'] } });
      assert.deepEqual(
        files.map(({ id }) => id),
        ['a.txt', 'b.txt'],
      );
      const { failure } = await plan({ table: { file: 'samples.csv', column: ['f_1', 'x'] } });
      assert.deepEqual(failure, { kind: 'table', problem: { kind: 'sameColumns', name: 'x' } });
    });

    for (const [name, gap, reason] of [
      ['the search of a value failed', { kind: 'failed', reason: failed }, failed],
      ['there are too many results to compare', { kind: 'truncated', comparedCount: 9 }, { kind: 'tooLarge' }],
      ['a value is too long for a name', { kind: 'tooLong' }, undefined],
    ] as const) {
      it(`${reason ? 'are unknown' : 'are missing'} if ${name}`, async () => {
        await writeFile(join(folder, 'samples.csv'), 'name\na.txt\nb.txt\n');
        source.match = (index) => index.setGap('b.txt', gap);
        const { failure, missing } = await plan({ table });
        assert.deepEqual(failure, reason && { kind: 'service', reason });
        assert.deepEqual(missing, reason ? [] : ['a.txt', 'b.txt']);
      });
    }

    it('are unknown if a value was not looked up, also beside one that is too long', async () => {
      const columns = { file: 'samples.csv', column: ['a', 'b'] };
      await writeFile(join(folder, 'samples.csv'), 'a,b\nlong.txt,b.txt\nc.txt,c.txt\n');
      source.match = (index) => {
        index.setGap('long.txt', { kind: 'tooLong' });
        index.setGap('b.txt', { kind: 'failed', reason: failed });
        index.add(toFile('c.txt'));
      };
      const planned = await plan({ table: columns }, { to: { database: 'B' } });
      assert.deepEqual([planned.failure, findObstacle(planned)], [{ kind: 'service', reason: failed }, 'failed']);
    });

    it('are missing if one spelling of a value is too long, although another matches', async () => {
      await writeFile(join(folder, 'samples.csv'), 'name\n a.txt\nb.txt\n');
      source.match = (index) => {
        index.setGap(' a.txt', { kind: 'tooLong' });
        for (const id of ['a.txt', 'b.txt']) index.add(toFile(id));
      };
      const planned = await plan({ table }, { to: { database: 'B' } });
      assert.deepEqual([planned.missing, findObstacle(planned)], [[' a.txt'], 'missing']);
    });

    it('are unknown if some files of the service were not compared', async () => {
      await writeFile(join(folder, 'samples.csv'), 'name\na.txt\n');
      source.match = (index) => index.addSkipped({ start: 0, reason: failed });
      assert.deepEqual((await plan({ table })).failure, { kind: 'service', reason: failed });
    });

    it('require a table file of limited size, not a folder or a pipe', async () => {
      await writeFile(join(folder, 'samples.csv'), 'name\n');
      await truncate(join(folder, 'samples.csv'), maxTableBytes + 1);
      assert.deepEqual((await plan({ table })).failure, { kind: 'table', problem: { kind: 'tooLarge' } });
      await writeFile(join(folder, 'samples.csv'), ','.repeat(maxColumns));
      const error = new TableError('tooManyColumns');
      assert.deepEqual((await plan({ table })).failure, { kind: 'table', problem: { kind: 'invalid', error } });
      await mkdir(join(folder, 'folder.csv'));
      const hasPipes = process.platform !== 'win32';
      if (hasPipes) execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
      for (const file of hasPipes ? ['folder.csv', 'pipe.csv'] : ['folder.csv']) {
        const { failure } = await plan({ table: { ...table, file } });
        assert.deepEqual(failure, { kind: 'table', problem: { kind: 'unreadable' } });
      }
    });
  });

  describe('of a plan', () => {
    const planFiles = async (ids: readonly string[]): Promise<RecipePlan> =>
      await plan({ ids: [...ids] }, { to: { database: 'B' } });

    it('are too many if the list is truncated or exceeds the limit of a recipe', async () => {
      const planned = await planFiles(['a']);
      assert.equal(findObstacle(planned), undefined);
      assert.equal(findObstacle({ ...planned, isCut: true }), 'tooMany');
      const file = planned.files[0] ?? { id: 'a', path: 'a' };
      assert.equal(findObstacle({ ...planned, files: new Array<typeof file>(250_000).fill(file) }), undefined);
      assert.equal(findObstacle({ ...planned, files: new Array<typeof file>(250_001).fill(file) }), 'tooMany');
      assert.equal(findObstacle({ ...planned, files: [] }), 'noFiles');
    });

    it('are refused if one has the name of the folder of another, in any order', async () => {
      const planned = await planFiles(['a']);
      const withPaths = (...paths: readonly string[]): RecipePlan => {
        return { ...planned, files: paths.map((path) => ({ id: path, path })) };
      };
      assert.equal(findObstacle(withPaths('x/thing', 'y', 'x/thing/deep/inside')), 'nested');
      assert.equal(findObstacle(withPaths('thing/inside', 'thing')), 'nested');
      assert.equal(findObstacle(withPaths('thing', 'things/inside', 'x/thing', '/a', 'a/')), undefined);
    });

    it('are not sent in a locked run without a comparison', async () => {
      assert.equal(findObstacle({ ...(await planFiles(['a'])), isLocked: true }), 'differsFromLock');
    });

    it('become an order without the fields that the recipe omits', async () => {
      source.found = () => [toFile('a', { path: 'x/', hash: 'none', sizeBytes: 0 })];
      assert.deepEqual(toOrder(await planFiles(['a']), { connectionId: 'c', orcid: 'o' }), {
        connectionId: 'c',
        orcid: 'o',
        source: 'Alpha',
        destination: 'B',
        files: [{ id: 'a', name: 'x/', path: 'x/', sizeBytes: 0, licenses: [] }],
      });
    });
  });
});
