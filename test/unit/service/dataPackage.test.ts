import assert from 'node:assert/strict';
import { readPackageText } from '../../../src/service/catalog/dataPackage.ts';

function readMetadata(resource: object, parent: object = {}): unknown {
  return readPackageText(JSON.stringify({ ...parent, resources: [resource] })).metadata?.get('a.csv');
}

describe('A Data Package (D20)', () => {
  it('gives a file the fields of its resource, except those that the file itself determines', () => {
    const resource = { path: 'a.csv', name: 'a', title: 'A', bytes: 3, id: 'x', schema: { fields: [] } };
    assert.deepEqual(readMetadata(resource), { id: 'x', name: 'a', title: 'A', schema: { fields: [] } });
  });

  for (const id of ['a,b', ' a', 'a\n', '\u202ea', '../a', 'x/../a', '', 5, null, 'a'.repeat(501)]) {
    it(`declares no id that is ${JSON.stringify(id).slice(0, 20)}`, () => {
      assert.deepEqual(readMetadata({ path: 'a.csv', id }), {});
    });
  }

  it('gives a file without its own licenses, sources and contributors those of the package', () => {
    const parent = { licenses: [{ name: 'MIT' }], sources: [{ title: 'lab' }], contributors: [{ title: 'Ann' }] };
    const own = { path: 'a.csv', sources: [{ title: 'field' }] };
    assert.deepEqual(readMetadata(own, parent), { ...parent, sources: [{ title: 'field' }] });
  });

  for (const path of [
    '../a.csv',
    '/a.csv',
    'C:/a.csv',
    'c:a.csv',
    'file:a.csv',
    'file:///etc/passwd',
    'ftp://example.org/a.csv',
    '\\\\host\\share\\a.csv',
    'a.csv\0',
    'http://example.org/a.csv',
    'x/../../a.csv',
    'x\\a.csv',
    '',
    '.',
    5,
    null,
  ]) {
    it(`skips a resource whose path is ${JSON.stringify(path)}`, () => {
      assert.equal(readPackageText(JSON.stringify({ resources: [{ path, title: 'A' }] })).metadata?.size, 0);
    });
  }

  it('drops fields of a wrong type, which would make the resource invalid', () => {
    const wrong = { path: 'a.csv', title: 5, description: ['x'], sources: 'me', hash: 'not a hash', mediatype: 'csv' };
    assert.deepEqual(readMetadata(wrong), {});
  });

  it('describes each file of a resource with several paths, but without its hash', () => {
    const text = JSON.stringify({ resources: [{ path: ['a.csv', './b.csv'], title: 'T', hash: 'sha256:00ff' }] });
    assert.deepEqual(
      [...(readPackageText(text).metadata ?? [])],
      [
        ['a.csv', { title: 'T' }],
        ['b.csv', { title: 'T' }],
      ],
    );
  });

  it('skips a resource with only inline data, without a warning', () => {
    const resources = [
      { name: 'rows', data: [{ a: 1 }] },
      { path: 'a.csv', title: 'A', data: 'x' },
    ];
    const { metadata, warnings } = readPackageText(JSON.stringify({ resources }));
    assert.deepEqual([...(metadata ?? [])], [['a.csv', { title: 'A' }]]);
    assert.deepEqual(warnings, []);
  });

  it('uses the first of two resources for one path, and warns', () => {
    const resources = [
      { path: 'a.csv', name: 'same', title: 'first' },
      { path: './a.csv', title: 'second' },
      { path: 'b.csv', name: 'same' },
    ];
    const { metadata, warnings } = readPackageText(JSON.stringify({ resources }));
    assert.deepEqual(metadata?.get('a.csv'), { name: 'same', title: 'first' });
    assert.deepEqual(metadata.get('b.csv'), { name: 'same' });
    assert.deepEqual(warnings, ['resource 1 names "a.csv" again; only the first counts']);
  });

  it('describes those of several paths that are files of the package', () => {
    const path = ['a.csv', 'https://example.org/b.csv', '../c.csv', 5, 'd/e.csv'];
    assert.deepEqual(
      [...(readPackageText(JSON.stringify({ resources: [{ path, title: 'T' }] })).metadata ?? []).keys()],
      ['a.csv', 'd/e.csv'],
    );
  });

  it('describes the package of a file: title, id, homepage, version, keywords and creation time', () => {
    const about = { title: 'P', id: 'https://doi.org/10.1/x', homepage: 'https://example.org', version: '1.2.0' };
    const parent = { ...about, keywords: ['a', 'b'], created: '2026-11-20T00:00:00Z' };
    assert.deepEqual(readMetadata({ path: 'a.csv' }, { name: 'p', profile: 'data-package', ...parent }), {
      package: parent,
    });
  });

  it('retains a package that a resource names itself', () => {
    const own = { path: 'a.csv', package: { title: 'mine' } };
    assert.deepEqual(readMetadata(own, { title: 'P' }), { package: { title: 'mine' } });
  });

  it('omits a package with only a creation time or with fields of a wrong type', () => {
    const parent = { created: '2026-11-20T00:00:00Z', title: 5, id: null, keywords: 'a', version: { a: 1 } };
    assert.deepEqual(readMetadata({ path: 'a.csv' }, parent), {});
  });

  it('uses the list entries of the right type, and omits empty lists', () => {
    const own = { path: 'a.csv', licenses: [], keywords: ['a', 5, null, 'b'], contributors: ['Ann'] };
    const parent = { licenses: ['MIT', { name: 'CC0-1.0' }], contributors: [{ title: 'Bob' }], sources: {} };
    const expected = { keywords: ['a', 'b'], licenses: [{ name: 'CC0-1.0' }], contributors: [{ title: 'Bob' }] };
    assert.deepEqual(readMetadata(own, parent), expected);
  });

  it('reads version 2 of the standard like version 1', () => {
    const text = JSON.stringify({
      $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
      contributors: [{ title: 'Ann', roles: ['creator'] }],
      resources: [
        { name: 'a', path: 'a.csv', type: 'table', dialect: { delimiter: ';' }, schema: { fieldsMatch: 'subset' } },
      ],
    });
    assert.deepEqual(readPackageText(`\uFEFF${text}`).metadata?.get('a.csv'), {
      name: 'a',
      type: 'table',
      dialect: { delimiter: ';' },
      schema: { fieldsMatch: 'subset' },
      contributors: [{ title: 'Ann', roles: ['creator'] }],
    });
  });

  it('drops a field that is nested too deeply', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const text = `{"sources":[{"a":${deep}}],"resources":[{"path":"a.csv","title":"A","more":${deep}}]}`;
    assert.deepEqual(readPackageText(text).metadata?.get('a.csv'), { title: 'A' });
  });

  it("drops a field that exceeds the size limit of a file's metadata", () => {
    const metadata = readMetadata(
      { path: 'a.csv', description: 'x'.repeat(300_000), title: 'A' },
      { title: 'y'.repeat(300_000) },
    );
    assert.deepEqual(metadata, { title: 'A' });
  });

  it('skips a resource that exceeds the size limit of a package', () => {
    const path = Array.from({ length: 1_000 }, (_, index) => `${index}.csv`);
    const resources = [
      { path, description: 'x'.repeat(200_000) },
      { path: 'a.csv', title: 'A' },
    ];
    const { metadata, warnings } = readPackageText(JSON.stringify({ resources }));
    assert.deepEqual([...(metadata ?? [])], [['a.csv', { title: 'A' }]]);
    assert.deepEqual(warnings, ['resource 0 is skipped: the package has more metadata than allowed']);
  });

  it('ignores __proto__ as a field', () => {
    const resource = '{"path":"a.csv","__proto__":{"title":"x"},"constructor":{"prototype":{"title":"x"}}}';
    const fields = readPackageText(`{"__proto__":{"licenses":[{}]},"resources":[${resource}]}`).metadata?.get('a.csv');
    assert.deepEqual(Object.keys(fields ?? {}), ['constructor']);
    assert.equal(Object.getPrototypeOf(fields), Object.prototype);
    assert.equal(fields?.['title'], undefined);
  });

  for (const text of ['', '{', '[]', 'null', '{}', '{"resources":{}}']) {
    it(`is rejected when its text is ${JSON.stringify(text)}`, () => {
      assert.equal(readPackageText(text).metadata, undefined);
    });
  }
});
