import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { openSqlite } from '../../../src/service/sqlite.ts';

describe('A database file of the service', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-sqlite-'));
  });
  afterEach(async () => await fs.rm(folder, { recursive: true }));

  it('can be read by the user only, as can its log, even in a folder that others can read', async function () {
    if (process.platform === 'win32') this.skip();
    await fs.chmod(folder, 0o755);
    const database = openSqlite(nodePath.join(folder, 'journal.db'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE one (name TEXT)');
    const names = (await fs.readdir(folder)).toSorted();
    const modes = await Promise.all(
      names.map(async (name) => (await fs.stat(nodePath.join(folder, name))).mode & 0o777),
    );
    database.close();
    assert.deepEqual(names, ['journal.db', 'journal.db-shm', 'journal.db-wal']);
    assert.deepEqual(modes, [0o600, 0o600, 0o600]);
  });

  it('is opened if it exists, and its content and mode are kept', async () => {
    const file = nodePath.join(folder, 'catalog.db');
    const first = openSqlite(file);
    first.exec('CREATE TABLE one (name TEXT)');
    first.close();
    await fs.chmod(file, 0o640);
    const second = openSqlite(file);
    assert.equal(second.prepare('SELECT count(*) AS n FROM one').get()?.['n'], 0);
    second.close();
    if (process.platform !== 'win32') assert.equal((await fs.stat(file)).mode & 0o777, 0o640);
  });

  it('is reported if it cannot be created', () => {
    assert.throws(() => openSqlite(nodePath.join(folder, 'missing', 'journal.db')), /unable to open database file/);
  });
});
