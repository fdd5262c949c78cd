import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findObstacle, toOrder, type PlanRequest, type RecipePlan } from '../../../src/core/recipes/planRecipe.ts';
import type { RecipeLock } from '../../../src/core/recipes/recipeLock.ts';
import type { Recipe } from '../../../src/core/recipes/recipeSchema.ts';
import { localServiceName } from '../../../src/contract/contract.ts';
import { createXlsx } from '../../support/xlsxFile.ts';
import { chooseBehavior, json, problem } from '../../support/faultBehaviors.ts';
import { Rig } from './rig.ts';

const files = [
  { id: '3', path: 'reads/c.fastq.gz', bytes: 300, hash: 'c'.repeat(32), format: 'fastq' },
  { id: '1', path: 'reads/a.fasta', bytes: 100, hash: 'a'.repeat(32) },
  { id: '2', path: 'notes/b.txt', bytes: 20 },
];
const search = { database: 'Alpha', search: { query: '' } };
const to = { database: 'Beta' };

function createLock(locked: RecipeLock['files']): RecipeLock {
  const service = { name: 'Lab', address: 'https://lab.example.org', version: '1' };
  const transfer = { id: 't', submitted: '2026-11-22T10:00:00.000Z' };
  return { version: 1, recipe: 'r.transfer.json', service, from: 'Alpha', to: 'Beta', transfer, files: locked };
}

describe('Planning a recipe (D61)', () => {
  let rig: Rig;
  let folder: string;
  let compared: number[];
  beforeEach(async () => {
    rig = await Rig.start();
    folder = await mkdtemp(join(tmpdir(), 'recipe-'));
    compared = [];
    rig.server.on('GET /', json({ name: localServiceName, version: '1.0.0' }));
    rig.server.on('POST /api/v1/files', json({ resources: files }));
  });
  afterEach(async () => {
    await rig.end();
    await rm(folder, { recursive: true, force: true });
  });

  const plan = async (recipe: Recipe, more: Partial<PlanRequest> = {}): Promise<RecipePlan> => {
    const { signal } = new AbortController();
    const onProgress = (count: number): unknown => compared.push(count);
    const session = await rig.connect();
    return await rig.explorer.recipeFlow.plan(session, { recipe, folder, ...more }, { signal, onProgress });
  };
  const listIds = ({ files: found }: RecipePlan): readonly string[] => found.map(({ id }) => id);

  it('finds the licenses of the files, for the summary and the record, however it finds the files', async () => {
    const licensed = files.map((file) => ({ ...file, licenses: [{ name: 'MIT' }] }));
    rig.server.on('POST /api/v1/files', json({ resources: licensed }));
    rig.server.on('POST /api/v1/files/by-id', json({ resources: licensed }));
    rig.server.on('GET /api/v1/files/by-id', json({ resources: licensed }));
    await writeFile(join(folder, 't.csv'), 'id\n1\n2\n3\n');
    const ids = files.map(({ id }) => id);
    const lock = createLock([{ id: '1', path: 'reads/a.fasta', bytes: 100, hash: 'a'.repeat(32) }]);
    const plans = [
      await plan({ from: search, to }),
      await plan({ from: { database: 'Alpha', ids }, to }),
      await plan({ from: { database: 'Alpha', table: { file: 't.csv', column: 'id' } }, to }),
      await plan({ from: search, to }, { lock, isLocked: true }),
    ];
    for (const planned of plans) {
      const order = toOrder(planned, { connectionId: 'c', orcid: 'o' });
      assert.deepEqual(new Set(order.files.flatMap(({ licenses }) => licenses?.[0]?.name)), new Set(['MIT']));
    }
  });

  it('lists the files of a search in the order of their ids, with the details that a transfer needs', async () => {
    const planned = await plan({ from: search, to, description: 'Monthly', instructions: { type: 'x' } });
    assert.deepEqual(listIds(planned), ['1', '2', '3']);
    assert.equal(findObstacle(planned), undefined);
    assert.deepEqual(toOrder(planned, { connectionId: 'c', orcid: 'o' }), {
      connectionId: 'c',
      orcid: 'o',
      source: 'Alpha',
      destination: 'Beta',
      description: 'Monthly',
      instructions: { type: 'x' },
      files: [
        { id: '1', name: 'a.fasta', path: 'reads/a.fasta', sizeBytes: 100, hash: 'a'.repeat(32), licenses: [] },
        { id: '2', name: 'b.txt', path: 'notes/b.txt', sizeBytes: 20, licenses: [] },
        { id: '3', name: 'c.fastq.gz', path: 'reads/c.fastq.gz', sizeBytes: 300, hash: 'c'.repeat(32), licenses: [] },
      ],
    });
    assert.deepEqual(compared, [3]);
  });

  it('sends nothing for a recipe without a destination, which is a saved search', async () => {
    assert.equal(findObstacle(await plan({ from: search })), 'noDestination');
  });

  for (const [name, filters, ids] of [
    ['format or extension', { formats: ['fastq', '.FASTA'] }, ['1', '3']],
    ['path', { paths: ['reads/*.gz', '**/b.t?t'] }, ['2', '3']],
    ['a format with several parts', { formats: ['fastq.gz'] }, ['3']],
    ['folders at any depth', { paths: ['**/*.fasta'] }, ['1']],
    ['size', { bytes: { least: 50, most: 100 } }, ['1']],
  ] as const)
    it(`filters by ${name}`, async () => {
      const planned = await plan({ from: { ...search, filters: structuredClone(filters) as never } });
      assert.deepEqual(listIds(planned), ids);
    });

  it('accepts compressed files of a format, as searches do (D21)', async () => {
    const resources = ['a.fastq.gz', 'b.fastq.zst', 'c.fastq.gzip', 'd.gz', 'xfastq'].map((id) => ({ id, path: id }));
    rig.server.on('POST /api/v1/files', json({ resources: [...resources, { id: '5', format: 'FASTQ.bz2' }] }));
    const planned = await plan({ from: { ...search, filters: { formats: ['fastq'] } } });
    assert.deepEqual(listIds(planned), ['5', 'a.fastq.gz', 'b.fastq.zst']);
  });

  it('stops a search that finds more files than expected, and sends nothing', async () => {
    const page = (from: number): object => ({
      resources: Array.from({ length: 5_000 }, (_, index) => ({ id: String(from + index) })),
    });
    rig.server.on('POST /api/v1/files', json(page(0)), json(page(5_000)), json(page(10_000)));
    const planned = await plan({ from: search, to, expect: { files: { most: 6_000 } } });
    assert.equal(rig.server.requestsTo('POST /api/v1/files').length, 2);
    assert.equal(findObstacle(planned), 'unmet');
    assert.deepEqual(planned.unmet, [{ kind: 'manyFiles', limit: 6_000, actual: 6_001, isAtLeast: true }]);
  });

  it('stops a search that finds a million files, and sends nothing', async () => {
    const millionFiles = chooseBehavior(({ body }) => {
      const { offset = 0, limit = 0 } = JSON.parse(body) as { readonly offset?: number; readonly limit?: number };
      return json({ resources: Array.from({ length: limit }, (_, index) => ({ id: String(offset + index) })) });
    });
    rig.server.on('POST /api/v1/files', millionFiles);
    const planned = await plan({ from: search, to });
    assert.equal(rig.server.requestsTo('POST /api/v1/files').length, 51);
    assert.deepEqual([planned.files.length, findObstacle(planned)], [250_000, 'tooMany']);
  });

  it('requests the pages of a public service until one has no new file (D9)', async () => {
    rig.server.on('GET /', json({ name: 'DTS', version: '1.0.0' }));
    const many = Array.from({ length: 500 }, (_, index) => ({ id: `x${index}` }));
    rig.server.on('POST /api/v1/files', json({ resources: many }), json({ resources: files }), json({ resources: [] }));
    const planned = await plan({ from: search });
    assert.equal(planned.files.length, 503);
    assert.equal(rig.server.requestsTo('POST /api/v1/files').length, 3);
  });

  it('checks all expectations', async () => {
    const expect = { files: { least: 4 }, bytes: { most: 5 }, ids: ['1', '9'] };
    const planned = await plan({ from: search, to, expect });
    assert.deepEqual(planned.unmet, [
      { kind: 'fewFiles', limit: 4, actual: 3 },
      { kind: 'manyBytes', limit: 5, actual: 420 },
      { kind: 'missingIds', ids: ['9'] },
    ]);
    assert.equal(findObstacle(planned), 'unmet');
  });

  it('reports neither few bytes nor missing ids of files that were left out', async () => {
    const planned = await plan({
      from: search,
      to,
      expect: { files: { most: 1 }, bytes: { least: 5_000 }, ids: ['3'] },
    });
    assert.deepEqual(planned.unmet, [{ kind: 'manyFiles', limit: 1, actual: 2, isAtLeast: true }]);
  });

  it('does not report a total size as too small if some sizes are unknown', async () => {
    rig.server.on('POST /api/v1/files', json({ resources: [...files, { id: '4', path: 'd.txt' }] }));
    const listUnmet = async (bytes: NonNullable<Recipe['expect']>['bytes']): Promise<unknown> =>
      (await plan({ from: search, to, expect: { bytes } })).unmet;
    const unknown = { kind: 'unknownSizes', count: 1 };
    assert.deepEqual(await listUnmet({ least: 1_000 }), [unknown]);
    const many = { kind: 'manyBytes', limit: 5, actual: 420, isAtLeast: true };
    assert.deepEqual(await listUnmet({ most: 5 }), [many, unknown]);
  });

  it('reports ids that the service does not know, and sends nothing', async () => {
    rig.server.on('GET /api/v1/files/by-id', json({ resources: [{ id: '1' }] }));
    const planned = await plan({ from: { database: 'Alpha', ids: ['1', '9', '1'] }, to });
    assert.deepEqual([listIds(planned), planned.missing, findObstacle(planned)], [['1'], ['9'], 'missing']);
  });

  it('stores the ids without a file, until the service has files for them', async () => {
    const from = { database: 'Alpha', ids: ['1', '9'] };
    const { missingIds } = rig.explorer.recipeFlow;
    const listMissing = (): readonly string[] => [...missingIds.get(rig.connection.id, 'Alpha')];
    let changes = 0;
    missingIds.onDidChange(() => (changes += 1));
    rig.server.on('GET /api/v1/files/by-id', json({ resources: [{ id: '1' }] }));
    await plan({ from, to });
    assert.deepEqual([listMissing(), changes], [['9'], 1]);
    assert.deepEqual([...missingIds.get(rig.connection.id, 'Beta'), ...missingIds.get('other', 'Alpha')], []);
    rig.server.on('GET /api/v1/files/by-id', json({ resources: [{ id: '1' }, { id: '9' }] }));
    await plan({ from, to });
    assert.deepEqual([listMissing(), changes], [[], 2]);
  });

  it('finds the files of a table beside the recipe, by the named column', async () => {
    await writeFile(
      join(folder, 'samples.csv'),
      'sample,checksum\nA,' + 'a'.repeat(32) + '\nB,' + 'b'.repeat(32) + '\n',
    );
    const table = { file: 'samples.csv', column: 'checksum' };
    const planned = await plan({ from: { database: 'Alpha', table }, to });
    assert.deepEqual([listIds(planned), planned.missing], [['1'], []]);
    // A file has no hash, so it may have the other one.
    assert.deepEqual(
      planned.doubts?.map(({ kind, line }) => [kind, line]),
      [['noHash', 3]],
    );
  });

  it('compares nothing with the lock while rows of a table are in doubt', async () => {
    await writeFile(join(folder, 'doubtful.csv'), 'name\na.fasta,2\na.fasta\n');
    const table = { file: 'doubtful.csv', column: 'name' };
    const lock = createLock([{ id: '2', path: 'b.txt' }]);
    const refused = await plan({ from: { database: 'Alpha', table }, to }, { lock });
    assert.deepEqual([findObstacle(refused), refused.difference], ['doubts', undefined]);
    const leftOut = { database: 'Alpha', table: { ...table, doubts: 'leaveOut' } } as const;
    assert.equal((await plan({ from: leftOut, to }, { lock })).difference?.gone.length, 1);
  });

  it('reports a problem with a table, and follows no link out of its folder', async () => {
    const other = await mkdtemp(join(tmpdir(), 'other-'));
    await writeFile(join(other, 'keys.csv'), 'id\n1\n');
    await symlink(join(other, 'keys.csv'), join(folder, 'link.csv'));
    await writeFile(join(folder, 'a.csv'), 'id\n1\n');
    const planTable = async (file: string, column: string, sheet?: string): Promise<unknown> => {
      const table = { file, column, ...(sheet !== undefined && { sheet }) };
      return (await plan({ from: { database: 'Alpha', table }, to })).failure;
    };
    assert.deepEqual(await planTable('none.csv', 'id'), { kind: 'table', problem: { kind: 'missing' } });
    assert.deepEqual(await planTable('link.csv', 'id'), { kind: 'table', problem: { kind: 'unreadable' } });
    assert.deepEqual(await planTable('a.csv', 'name'), {
      kind: 'table',
      problem: { kind: 'noColumn', name: 'name' },
    });
    await writeFile(join(folder, 'empty.xlsx'), createXlsx({ Sheet1: [] }));
    assert.deepEqual(await planTable('empty.xlsx', 'id'), { kind: 'table', problem: { kind: 'noTable' } });
    assert.deepEqual(await planTable('a.csv', 'id', 'Sheet2'), { kind: 'table', problem: { kind: 'noSheet' } });
    await rm(other, { recursive: true });
  });

  it('reports why the service could not be searched', async () => {
    rig.server.on('POST /api/v1/files', problem(400, 'no such database'));
    const planned = await plan({ from: search, to }, { lock: createLock([]) });
    assert.equal(findObstacle(planned), 'failed');
    assert.equal(planned.failure?.kind === 'service' && planned.failure.reason.kind, 'refused');
    assert.equal(planned.difference, undefined);
  });

  it('compares with the lock: new, missing, changed and unchanged files', async () => {
    const lock = createLock([
      { id: '1', path: 'reads/a.fasta', bytes: 100, hash: `md5:${'a'.repeat(32)}` },
      { id: '2', path: 'notes/b.txt', bytes: 19 },
      { id: '7', path: 'gone.txt' },
    ]);
    const { difference, ...planned } = await plan({ from: search, to }, { lock });
    assert.deepEqual(difference, {
      added: [{ id: '3', path: 'reads/c.fastq.gz', bytes: 300, hash: 'c'.repeat(32), licenses: [] }],
      gone: [{ id: '7', path: 'gone.txt' }],
      changed: [
        {
          before: { id: '2', path: 'notes/b.txt', bytes: 19 },
          after: { id: '2', path: 'notes/b.txt', bytes: 20, licenses: [] },
        },
      ],
      sameCount: 1,
    });
    assert.equal(findObstacle(planned), undefined);
  });

  it('compares nothing with the lock if there may be more files than the search has found', async () => {
    const lock = createLock([
      { id: '2', path: 'notes/b.txt' },
      { id: '3', path: 'reads/c.fastq.gz' },
    ]);
    const planned = await plan({ from: search, to, expect: { files: { most: 1 } } }, { lock });
    assert.deepEqual([planned.isCut, planned.difference, findObstacle(planned)], [true, undefined, 'unmet']);
    const oneMore = await plan({ from: search, to, expect: { files: { most: 2 } } }, { lock });
    assert.deepEqual(oneMore.unmet, [{ kind: 'manyFiles', limit: 2, actual: 3 }]);
    assert.deepEqual([oneMore.difference?.added.length, oneMore.difference?.sameCount], [1, 2]);
  });

  it('does not count a size or hash that only one side states as a change (D22)', async () => {
    const lock = createLock([
      { id: '1', path: 'reads/a.fasta' },
      { id: '2', path: 'notes/b.txt', bytes: 20, hash: 'b'.repeat(32) },
      { id: '3', path: 'reads/c.fastq.gz', bytes: 300, hash: 'd'.repeat(32) },
    ]);
    const { difference } = await plan({ from: search, to }, { lock });
    assert.deepEqual([difference?.changed.map(({ after }) => after.id), difference?.sameCount], [['3'], 2]);
  });

  it('sends exactly the locked files, and nothing if one is missing or has changed', async () => {
    const [, first, second] = files;
    const lock = createLock([
      { id: '1', path: 'reads/a.fasta', bytes: 100, hash: 'a'.repeat(32) },
      { id: '2', path: 'notes/b.txt', bytes: 20 },
    ]);
    rig.server.on('GET /api/v1/files/by-id', json({ resources: [first, second] }), json({ resources: [first] }));
    const planned = await plan({ from: search, to }, { lock, isLocked: true });
    assert.deepEqual([listIds(planned), findObstacle(planned)], [['1', '2'], undefined]);
    assert.equal(rig.server.requestsTo('POST /api/v1/files').length, 0);
    assert.equal(findObstacle(await plan({ from: search, to }, { lock, isLocked: true })), 'differsFromLock');
  });

  it('keeps sizes and hashes in the lock of a locked run that the service does not state', async () => {
    const locked = [
      { id: '1', path: 'reads/a.fasta' },
      { id: '2', path: 'notes/b.txt', bytes: 20, hash: 'b'.repeat(32) },
    ];
    rig.server.on('GET /api/v1/files/by-id', json({ resources: [files[1], files[2]] }));
    const planned = await plan({ from: search, to }, { lock: createLock(locked), isLocked: true });
    assert.deepEqual(planned.lockFiles, [
      { id: '1', path: 'reads/a.fasta', bytes: 100, hash: 'a'.repeat(32), licenses: [] },
      { id: '2', path: 'notes/b.txt', bytes: 20, hash: 'b'.repeat(32), licenses: [] },
    ]);
    assert.deepEqual(planned.files[1], { id: '2', path: 'notes/b.txt', bytes: 20, licenses: [] });
    const unlocked = await plan({ from: search, to }, { lock: createLock(locked) });
    assert.deepEqual(unlocked.lockFiles, unlocked.files);
  });

  it('sends nothing in a locked run if the recipe names other databases than the lock', async () => {
    const lock = createLock([{ id: '1', path: 'reads/a.fasta' }]);
    rig.server.on('GET /api/v1/files/by-id', json({ resources: [files[1]] }));
    const other = { from: search, to: { database: 'Gamma' } };
    const planned = await plan(other, { lock, isLocked: true });
    assert.deepEqual(
      [findObstacle(planned), planned.lockedDatabases],
      ['otherDatabases', { from: 'Alpha', to: 'Beta' }],
    );
    assert.equal(findObstacle(await plan(other, { lock })), undefined);
    assert.equal(findObstacle(await plan({ from: search }, { lock, isLocked: true })), 'noDestination');
  });

  it('stops when it is canceled', async () => {
    const stop = new AbortController();
    const session = await rig.connect();
    const onProgress = (): void => stop.abort();
    const many = Array.from({ length: 5_000 }, (_, index) => ({ id: String(index) }));
    rig.server.on('POST /api/v1/files', json({ resources: many }));
    const options = { signal: stop.signal, onProgress };
    const planning = rig.explorer.recipeFlow.plan(session, { recipe: { from: search }, folder }, options);
    await assert.rejects(planning, { name: 'AbortError' });
  });
});
