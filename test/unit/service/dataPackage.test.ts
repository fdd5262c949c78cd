import assert from 'node:assert/strict';
import { parseDataPackage } from '../../../src/service/catalog/dataPackage.ts';

function metadataOf(resource: object, parent: object = {}): unknown {
  return parseDataPackage(JSON.stringify({ ...parent, resources: [resource] }))?.get('a.csv');
}

describe('A Data Package (D20)', () => {
  it('gives a file the fields of its resource, without those that the file itself tells', () => {
    const resource = { path: 'a.csv', name: 'a', title: 'A', bytes: 3, id: 'x', schema: { fields: [] } };
    assert.deepEqual(metadataOf(resource), { name: 'a', title: 'A', schema: { fields: [] } });
  });

  it('gives a file the licenses, sources and contributors of the package when it has none of its own', () => {
    const parent = { licenses: [{ name: 'MIT' }], sources: [{ title: 'lab' }], contributors: [{ title: 'Ann' }] };
    const own = { path: 'a.csv', sources: [{ title: 'field' }] };
    assert.deepEqual(metadataOf(own, parent), { ...parent, sources: [{ title: 'field' }] });
  });

  for (const path of [
    '../a.csv',
    '/a.csv',
    'http://example.org/a.csv',
    'x/../../a.csv',
    'x\\a.csv',
    '',
    '.',
    5,
    null,
  ]) {
    it(`passes over a resource whose path is ${JSON.stringify(path)}`, () => {
      assert.equal(parseDataPackage(JSON.stringify({ resources: [{ path, title: 'A' }] }))?.size, 0);
    });
  }

  it('drops fields of a wrong type, which would make the resource invalid', () => {
    const wrong = { path: 'a.csv', title: 5, description: ['x'], sources: 'me', hash: 'not a hash', mediatype: 'csv' };
    assert.deepEqual(metadataOf(wrong), {});
  });

  it('describes each file of a resource that has several, but not with one hash', () => {
    const text = JSON.stringify({ resources: [{ path: ['a.csv', './b.csv'], title: 'T', hash: 'sha256:00ff' }] });
    assert.deepEqual(
      [...(parseDataPackage(text) ?? [])],
      [
        ['a.csv', { title: 'T' }],
        ['b.csv', { title: 'T' }],
      ],
    );
  });

  for (const text of ['', '{', '[]', 'null', '{}', '{"resources":{}}']) {
    it(`is none when its text is ${JSON.stringify(text)}`, () => {
      assert.equal(parseDataPackage(text), undefined);
    });
  }
});
