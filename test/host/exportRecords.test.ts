import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uri } from 'vscode';
import type { CommandArguments } from '../../src/extension/editor/contributions.ts';
import { crateRules, listByType, readCrate } from '../support/crateRules.ts';
import { json } from '../support/faultBehaviors.ts';
import { Stage } from './stage.ts';

const database = 'JGI Data Portal';
const sha256 = 'a'.repeat(64);

describe('Exporting files', () => {
  let stage: Stage;
  let folder: string;
  let search: Awaited<ReturnType<Stage['search']>>;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    folder = await mkdtemp(join(tmpdir(), 'export-'));
    const hashed = { id: 'JDP:1', name: 'a', path: 'x/a', bytes: 5, hash: `sha256:${sha256}` };
    const page = Array.from({ length: 100 }, (_, index) => ({ id: `JDP:${index + 2}`, path: `x/${index}`, bytes: 1 }));
    const resources = [hashed, ...page].slice(0, stage.parts.settings.pageSize);
    stage.server.on('POST /api/v1/files', json({ resources }));
    search = await stage.search(database, 'x');
  });
  afterEach(async () => {
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  const exportAs = async (
    argument: CommandArguments['dataTransfer.exportRecords'],
    format: string,
    message: RegExp,
  ): Promise<string> => {
    const done = stage.run('dataTransfer.exportRecords', argument);
    (await stage.person.pick()).choose(format);
    const file = join(folder, 'exported');
    (await stage.person.saveDialog()).choose(Uri.file(file));
    await stage.person.notice(message);
    await done;
    return await readFile(file, 'utf8');
  };

  it('reports results that are not loaded', async () => {
    const count = search.files.length;
    const message = new RegExp(`^Exported ${count} files to exported\\. Results that weren't loaded were left out\\.$`);
    const text = await exportAs({ kind: 'search', key: search.key }, 'CSV', message);
    assert.equal(text.trimEnd().split('\r\n').length, count + 1);
  });

  it('marks searches with results that are not loaded in the list of searches', async () => {
    const describe = async (mayHaveMore: boolean): Promise<string | undefined> => {
      stage.parts.searchStore.update(search.key, { mayHaveMore });
      const done = stage.run('dataTransfer.exportRecords', undefined);
      const pick = await stage.person.pick();
      const [item] = pick.items;
      pick.escape();
      await done;
      return item?.description;
    };
    const count = search.files.length;
    assert.deepEqual(
      [await describe(true), await describe(false)],
      [`${database} · ${count}+ files · only loaded files are exported`, `${database} · ${count} files`],
    );
  });

  it('reports files without a SHA-256 hash, in the message and in the file', async () => {
    const left = search.files.length - 1;
    const message = new RegExp(
      `^Exported 1 file to exported\\. ${left} files have no SHA-256 hash and were left out\\.`,
    );
    const text = await exportAs({ kind: 'search', key: search.key }, 'Checksums (SHA-256)', message);
    assert.deepEqual(text.split('\n'), [
      `# Not listed: ${left} without a SHA-256 hash.`,
      '# Not listed: results of the search that were not loaded.',
      `${sha256}  x/a`,
      '',
    ]);
  });

  it('reports IDs that could not be looked up separately from those that were not found', async () => {
    const missing = [{ id: 'JDP:a' }, { id: 'JDP:b', reason: { kind: 'unreachable' } as const }];
    stage.parts.searchStore.update(search.key, { missing, mayHaveMore: false });
    const message = /^Exported 100 files to exported\. 1 ID wasn't found\. 1 ID couldn't be looked up\.$/;
    await exportAs({ kind: 'search', key: search.key }, 'CSV', message);
  });

  it('describes a search as an RO-Crate', async () => {
    const node = { kind: 'search', key: search.key } as const;
    const text = await exportAs(node, 'File metadata (RO-Crate 1.2)', /Results that weren't loaded/);
    const graph = readCrate(JSON.parse(text) as Record<string, unknown>);
    for (const check of Object.values(crateRules)) check(graph);
    assert.equal(listByType(graph, 'File').length, search.files.length);
    assert.equal(graph.get('./')?.['name'], `Files of ${database} found by searching for "x"`);
  });

  it('describes a selected file with all its metadata', async () => {
    const [file] = search.files;
    assert.ok(file?.kind === 'file');
    const node = { kind: 'file', searchKey: search.key, connectionId: search.connectionId, file } as const;
    const text = await exportAs(node, 'File metadata (RO-Crate 1.2)', /^Exported 1 file to exported\.$/);
    assert.equal(readCrate(JSON.parse(text) as Record<string, unknown>).get('#file-1')?.['sha256'], sha256);
  });
});
