import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { KnownFolders } from '../../../src/service/databases/knownFolders.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('The stored names of served folders (D25)', () => {
  let root: string;
  let file: string;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-known-'));
    file = nodePath.join(root, 'databases.json');
  });
  afterEach(async () => await fs.rm(root, { recursive: true }));

  async function open(): Promise<KnownFolders> {
    return await KnownFolders.open({ file, clock: new ManualClock(), logger: new MemoryLog() });
  }

  it('are none without a file', async () => {
    assert.deepEqual(await (await open()).identify({ name: 'Soil', folder: root }, () => false), {
      id: 'soil',
      name: 'Soil',
    });
  });

  it('are not replaced if their file exists and cannot be read', async () => {
    await fs.mkdir(file);
    const isExplained = (error: Error): boolean => error.message.startsWith(`the names of served folders in ${file}`);
    await assert.rejects(open(), isExplained);
  });

  it('are all set aside, however often their file is damaged', async () => {
    for (const text of ['first', 'second', 'third']) {
      await fs.writeFile(file, text);
      await open();
    }
    const names = (await fs.readdir(root)).toSorted();
    assert.deepEqual(names, ['databases.json.aside', 'databases.json.aside-2', 'databases.json.aside-3']);
    const texts = await Promise.all(names.map((name) => fs.readFile(nodePath.join(root, name), 'utf8')));
    assert.deepEqual(texts, ['first', 'second', 'third']);
  });
});
