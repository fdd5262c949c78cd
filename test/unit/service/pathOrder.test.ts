import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  comparePaths,
  getParentFolder,
  getBaseName,
  getRangeBelow,
  sortPaths,
} from '../../../src/service/catalog/catalogFile.ts';
import { openSqlite, type SqliteFile } from '../../../src/service/sqlite.ts';
import { property } from '../../support/property.ts';
import { oddName, oddPath } from './catalogArbitraries.ts';

describe('The order of paths (D20)', () => {
  let database: SqliteFile;

  before(() => {
    database = openSqlite(':memory:');
    database.exec('CREATE TABLE paths (path TEXT NOT NULL)');
  });

  after(() => database.close());

  property('matches the order of SQLite for any two paths', fc.tuple(oddPath, oddPath), ([one, other]) => {
    const row = database.prepare('SELECT (?1 > ?2) - (?1 < ?2) AS sign').get(one, other);
    assert.equal(Math.sign(comparePaths(one, other)), row?.['sign']);
    assert.equal(Math.sign(comparePaths(other, one)), -Number(row?.['sign']) + 0);
  });

  property('matches the order of SQLite for a sorted list', fc.array(oddPath, { maxLength: 12 }), (paths) => {
    database.exec('DELETE FROM paths');
    const insert = database.prepare('INSERT INTO paths VALUES (?)');
    for (const path of paths) insert.run(path);
    const rows = database.prepare('SELECT path FROM paths ORDER BY path').all();
    assert.deepEqual(
      sortPaths([...paths]),
      rows.map((row) => row['path']),
    );
  });

  property(
    'keeps the content of a folder contiguous',
    fc.tuple(fc.oneof(fc.constant(''), oddPath), fc.oneof(oddPath, oddName)).chain(([folder, path]) => {
      const below = folder === '' ? path : `${folder}/${path}`;
      return fc.tuple(fc.constant(folder), fc.constantFrom(path, below, `${folder}${path}`, folder || path));
    }),
    ([folder, path]) => {
      const { from, to } = getRangeBelow(folder);
      const row = database.prepare('SELECT ?1 > ?2 AND ?1 < ?3 AS below').get(path, from, to);
      assert.equal(row?.['below'], folder === '' || path.startsWith(`${folder}/`) ? 1 : 0);
    },
  );

  property('splits a path into folder and name', fc.tuple(oddPath, oddName), ([folder, name]) => {
    assert.deepEqual([getParentFolder(`${folder}/${name}`), getBaseName(`${folder}/${name}`)], [folder, name]);
    assert.deepEqual([getParentFolder(name), getBaseName(name)], ['', name]);
  });
});
