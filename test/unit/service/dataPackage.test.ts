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
    'x\\..\\..\\a.csv',
    '%2e%2e%2fa.csv\0',
    '',
    '.',
    5,
    null,
  ]) {
    it(`skips a resource whose path is ${JSON.stringify(path)}`, () => {
      assert.equal(readPackageText(JSON.stringify({ resources: [{ path, title: 'A' }] })).metadata?.size, 0);
    });
  }

  for (const [path, places, expected] of [
    ['data\\a.csv', ['data/a.csv'], 'data/a.csv'],
    ['data/my%20file.csv', ['data/my file.csv'], 'data/my file.csv'],
    ['data/my%20file.csv', ['data/my file.csv', 'data/my%20file.csv'], 'data/my%20file.csv'],
    ['data\\my%20file.csv', ['data/my file.csv'], 'data/my file.csv'],
    ['100%.csv', ['100%.csv'], '100%.csv'],
  ] as const) {
    it(`describes ${expected} for the path ${JSON.stringify(path)} if there is ${places.join(' and ')}`, () => {
      const hasFile = (file: string): boolean => (places as readonly string[]).includes(file);
      const { metadata, warnings } = readPackageText(JSON.stringify({ resources: [{ path, title: 'A' }] }), {
        hasFile,
      });
      assert.deepEqual([[...(metadata ?? [])], warnings], [[[expected, { title: 'A' }]], []]);
    });
  }

  it('names the missing file of a path with a backslash or a percent escape', () => {
    const resources = [{ path: 'data\\a.csv' }, { path: 'b%20c.csv' }, { path: '%2e%2e/d.csv' }, { path: 'e.csv' }];
    const { warnings } = readPackageText(JSON.stringify({ resources }), { hasFile: () => false });
    assert.deepEqual(warnings, [
      'resource 0 names a missing file: "data\\a.csv"',
      'resource 1 names a missing file: "b%20c.csv"',
      'resource 2 names a missing file: "%2e%2e/d.csv"',
    ]);
  });

  it('gives a file the license of an early package, unless it has its own', () => {
    const pddl = { licenses: [{ name: 'PDDL-1.0' }] };
    assert.deepEqual(readMetadata({ path: 'a.csv' }, { license: 'PDDL-1.0' }), pddl);
    const license = { type: 'odc-by', url: 'https://example.org' };
    assert.deepEqual(readMetadata({ path: 'a.csv' }, { license }), { licenses: [license] });
    assert.deepEqual(readMetadata({ path: 'a.csv', license: 'MIT' }, pddl), { license: 'MIT' });
  });

  it('gives a file nothing of the manifest of a transfer, which describes the transfer', () => {
    const manifest = { name: 'manifest', id: 'x', created: '2026-11-20', keywords: ['dts', 'manifest'] };
    const parent = { ...manifest, contributors: [{ title: 'Who transferred it', role: 'author' }] };
    assert.deepEqual(readMetadata({ path: 'a.csv', title: 'A' }, parent), { title: 'A' });
  });

  it('has its name instead of a missing title', () => {
    const parent = { name: 'p', id: 'https://doi.org/10.1234/x' };
    assert.deepEqual(readMetadata({ path: 'a.csv' }, parent), { package: parent });
    assert.deepEqual(readMetadata({ path: 'a.csv' }, { name: 'p', created: '2026-11-20' }), {});
  });

  it('reads 100,000 resources of a described package in bounded memory', () => {
    const resources = Array.from({ length: 100_000 }, (_, index) => ({ path: `${index}.csv`, title: `T${index}` }));
    const about = { title: 'P'.repeat(1_000), id: 'https://doi.org/10.1234/x', version: '1' };
    const { metadata, warnings } = readPackageText(JSON.stringify({ ...about, resources }));
    assert.ok((metadata?.size ?? 0) > 50_000 && warnings.length === 20);
  });

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

  it('is rejected with the place of the first error in its JSON', () => {
    const { warnings } = readPackageText('{\n  "resources": [\n    { path: "a.csv" }\n  ]\n}');
    assert.deepEqual(warnings, ['it is not a JSON object (line 3, column 7)']);
  });

  for (const text of ['', '{', '[]', 'null', '{}', '{"resources":{}}']) {
    it(`is rejected when its text is ${JSON.stringify(text)}`, () => {
      assert.equal(readPackageText(text).metadata, undefined);
    });
  }
});
