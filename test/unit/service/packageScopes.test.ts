import assert from 'node:assert/strict';
import { mkdirSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { FolderReader } from '../../../src/service/catalog/folderReader.ts';
import { isDescriptionFile } from '../../../src/service/catalog/packageScopes.ts';
import { freshFolder, makePipe, onCall, walkAll, writeFiles } from './folderRig.ts';

const transferId = '11111111-1111-4111-8111-111111111111';
const transferFolder = `dts-${transferId}`;

/** Returns a Data Package that gives files the given titles (path to title). */
function describeTitles(titles: Readonly<Record<string, string>>): string {
  return JSON.stringify({ resources: Object.entries(titles).map(([path, title]) => ({ path, title })) });
}

describe('The metadata of files from Data Packages around them (D20)', () => {
  let root: string;
  let folder: string;
  let reader: FolderReader;

  beforeEach(() => {
    root = freshFolder();
    folder = `${root}/served`;
    reader = new FolderReader();
    writeFiles(folder, { 'a.txt': '', 'sub/b.txt': '', 'sub/deep/c.txt': '' });
  });

  afterEach(() => rmSync(root, { recursive: true }));

  /** Returns the titles by path. Asserts that a walk and an inspection find the same titles. */
  function titles(): Record<string, string> {
    const { files } = walkAll(folder, '', reader);
    const paths = files.map(({ path }) => path);
    const inspected = reader.inspectPaths(folder, paths);
    assert.deepEqual(
      inspected.map((entry) => (entry.kind === 'file' ? entry.file : entry.kind)),
      files,
    );
    return Object.fromEntries(
      files.flatMap(({ path, metadata }) => {
        const { title } = JSON.parse(metadata ?? '{}') as { title?: string };
        return title === undefined ? [] : [[path, title]];
      }),
    );
  }

  it('comes from the nearest package that names the file', () => {
    writeFiles(folder, {
      'datapackage.json': describeTitles({ 'a.txt': 'A', 'sub/b.txt': 'far B', 'sub/deep/c.txt': 'far C' }),
      'sub/datapackage.json': describeTitles({ 'b.txt': 'B' }),
      'sub/deep/datapackage.json': describeTitles({ '../b.txt': 'out', '/c.txt': 'absolute' }),
    });
    assert.deepEqual(titles(), { 'a.txt': 'A', 'sub/b.txt': 'B', 'sub/deep/c.txt': 'far C' });
  });

  it('from a bag only adds the hash, also of files that a package in or around the bag describes', () => {
    const hash = (digit: string): string => `sha256:${digit.repeat(64)}`;
    const list = (name: string, digit: string): string => `${digit.repeat(64)}  data/${name}\n`;
    const resources = [
      { path: 'a.txt', title: 'A' },
      { path: 'b.txt', title: 'B', hash: hash('9') },
    ];
    writeFiles(folder, {
      'datapackage.json': describeTitles({ 'bag/data/c.txt': 'C' }),
      'bag/bagit.txt': '',
      'bag/manifest-md5.txt': `${'0'.repeat(32)}  data/a.txt\n${'0'.repeat(32)}  data/d.txt\n`,
      'bag/manifest-sha256.txt': list('a.txt', '1') + list('b.txt', '2') + list('c.txt', '3'),
      'bag/data/datapackage.json': JSON.stringify({ resources }),
      ...Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`bag/data/${name}.txt`, ''])),
    });
    const { files } = walkAll(folder, 'bag/data', reader);
    const found = files.map(({ path, metadata }) => [path, JSON.parse(metadata ?? '{}') as object]);
    assert.deepEqual(Object.fromEntries(found), {
      'bag/data/a.txt': { title: 'A', hash: hash('1') },
      'bag/data/b.txt': { title: 'B', hash: hash('9') },
      'bag/data/c.txt': { title: 'C', hash: hash('3') },
      'bag/data/d.txt': { hash: `md5:${'0'.repeat(32)}` },
      'bag/data/datapackage.json': {},
    });
  });

  it('comes from the manifest in a folder whose name was chosen, if it states that name (D24)', () => {
    const describe = (name: string, title: string): string => {
      const about = { name: 'manifest', id: transferId, folder: name, keywords: ['dts', 'manifest'] };
      return JSON.stringify({ ...about, resources: [{ path: 'x.txt', title }] }, undefined, 2);
    };
    writeFiles(folder, {
      'run 42/x.txt': '',
      'run 42/manifest.json': describe('run 42', 'X'),
      'other/x.txt': '',
      'other/manifest.json': describe('run 42', 'Other'),
      'app/x.txt': '',
      'app/manifest.json': JSON.stringify({ name: 'app', resources: [{ path: 'x.txt' }] }),
      'alternate/x.txt': '',
      'alternate/manifest.json': describe('alternate', 'Transferred'),
      [`alternate/manifest-${transferId}.json`]: describe('alternate', 'Own'),
    });
    assert.deepEqual(titles(), { 'run 42/x.txt': 'X', 'alternate/x.txt': 'Own' });
  });

  it('from an RO-Crate only adds to that from packages and manifests, also of outer folders', () => {
    const crate = (...entities: readonly object[]): string =>
      JSON.stringify({ '@graph': [{ '@id': './', '@type': 'Dataset' }, ...entities] });
    const license = 'https://spdx.org/licenses/MIT';
    const resource = { path: 'sub/deep/c.txt', id: 'c', title: 'C', hash: 'ab'.repeat(16), license: 'CC0-1.0' };
    writeFiles(folder, {
      'datapackage.json': JSON.stringify({ resources: [resource, { path: 'sub/b.txt', title: 'B' }] }),
      'sub/ro-crate-metadata.json': crate(
        { '@id': 'deep/c.txt', '@type': 'File', name: 'Far', description: 'Far', license },
        { '@id': 'b.txt', '@type': 'File' },
      ),
      'sub/deep/ro-crate-metadata.json': crate({ '@id': 'c.txt', '@type': 'File', name: 'Near', description: 'Near' }),
      [`${transferFolder}/in/x.txt`]: '',
      [`${transferFolder}/manifest.json`]: describeTitles({ 'in/x.txt': 'X' }),
      [`${transferFolder}/in/ro-crate-metadata.json`]: crate({
        '@id': 'x.txt',
        '@type': 'File',
        name: 'Crate',
        license,
      }),
    });
    const { files } = walkAll(folder, '', reader);
    const read = (path: string): unknown => JSON.parse(files.find((file) => file.path === path)?.metadata ?? '{}');
    const { path, ...fields } = resource;
    assert.deepEqual(read(path), { description: 'Near', ...fields });
    assert.deepEqual(read('sub/b.txt'), { title: 'B' });
    assert.deepEqual(read(`${transferFolder}/in/x.txt`), { title: 'X', licenses: [{ name: license }] });
  });

  it('from an RO-Crate adds to that from the package or the manifest in the same folder, field by field', () => {
    const entity = { '@type': 'File', name: 'Crate', description: 'Of the crate', license: 'CC0-1.0' };
    const crate = (path: string): string =>
      JSON.stringify({
        '@graph': [
          { '@id': './', '@type': 'Dataset' },
          { '@id': path, ...entity },
        ],
      });
    writeFiles(folder, {
      'sub/datapackage.json': describeTitles({ 'b.txt': 'B' }),
      'sub/ro-crate-metadata.json': crate('b.txt'),
      [`${transferFolder}/x.txt`]: '',
      [`${transferFolder}/manifest.json`]: JSON.stringify({ resources: [{ path: 'x.txt', license: 'MIT' }] }),
      [`${transferFolder}/ro-crate-metadata.json`]: crate('x.txt'),
    });
    const { files } = walkAll(folder, '', reader);
    const read = (path: string): unknown => JSON.parse(files.find((file) => file.path === path)?.metadata ?? '{}');
    const description = 'Of the crate';
    assert.deepEqual(read('sub/b.txt'), { title: 'B', description, licenses: [{ name: 'CC0-1.0' }] });
    assert.deepEqual(read(`${transferFolder}/x.txt`), { title: 'Crate', description, license: 'MIT' });
  });

  it('of a whole folder comes from its RO-Crate, and what that does not state from its CITATION.cff', () => {
    const root = { '@id': './', '@type': 'Dataset', license: { '@id': 'https://spdx.org/licenses/MIT' } };
    writeFiles(folder, {
      'sub/ro-crate-metadata.json': JSON.stringify({ '@graph': [root] }),
      'sub/CITATION.cff': 'title: Reef\nauthors:\n  - name: Sea Lab\nlicense: CC0-1.0\n',
    });
    const [described] = walkAll(folder, '', reader).described;
    const { credit, licenses } = JSON.parse(described?.fields ?? '{}') as Record<string, object>;
    assert.deepEqual(licenses, [{ path: 'https://spdx.org/licenses/MIT' }]);
    assert.ok(credit !== undefined && 'titles' in credit);
  });

  it('of a whole folder comes from its BIDS description, unless its CITATION.cff states it', () => {
    const bids = { Name: 'Rest', BIDSVersion: '1.8.0', Authors: ['Ada Quill'], License: 'CC0' };
    const describe = (): Record<string, unknown> => {
      const { described } = walkAll(folder, '', reader);
      return JSON.parse(described[0]?.fields ?? '{}') as Record<string, unknown>;
    };
    writeFiles(folder, { 'sub/dataset_description.json': JSON.stringify(bids) });
    assert.match(JSON.stringify(describe()), /"title":"Rest".*"Ada Quill".*"licenses":\[\{"name":"CC0"\}\]/);
    writeFiles(folder, { 'sub/CITATION.cff': 'title: Reef\nauthors:\n  - name: Sea Lab\n' });
    assert.match(JSON.stringify(describe()), /"title":"Reef".*"Sea Lab".*"licenses":\[\{"name":"CC0"\}\]/);
  });

  it('is available to a partial walk', () => {
    writeFiles(folder, { 'datapackage.json': describeTitles({ 'sub/deep/c.txt': 'C' }) });
    const [file] = walkAll(folder, 'sub/deep', reader).files;
    assert.deepEqual([file?.path, file?.metadata], ['sub/deep/c.txt', '{"title":"C"}']);
  });

  it('comes from the manifest of a transfer, unless a transferred package describes the file (D24)', () => {
    writeFiles(folder, {
      [`${transferFolder}/x.txt`]: '',
      [`${transferFolder}/y.txt`]: '',
      [`${transferFolder}/manifest.json`]: describeTitles({ 'x.txt': 'X', 'y.txt': 'manifest' }),
      [`${transferFolder}/datapackage.json`]: describeTitles({ 'y.txt': 'Y' }),
      'sub/manifest.json': describeTitles({ 'b.txt': 'not in a transfer folder' }),
    });
    assert.deepEqual(titles(), { [`${transferFolder}/x.txt`]: 'X', [`${transferFolder}/y.txt`]: 'Y' });
  });

  it('comes from the manifest of a transfer that has the other name, not from a transferred manifest.json', () => {
    writeFiles(folder, {
      [`${transferFolder}/x.txt`]: '',
      [`${transferFolder}/y.txt`]: '',
      [`${transferFolder}/manifest.json`]: describeTitles({ 'x.txt': 'transferred', 'y.txt': 'transferred' }),
      [`${transferFolder}/manifest-${transferId}.json`]: describeTitles({ 'x.txt': 'X' }),
    });
    assert.deepEqual(titles(), { [`${transferFolder}/x.txt`]: 'X' });
    writeFiles(folder, { [`${transferFolder}/manifest-${transferId}.json`]: 'not JSON' });
    assert.deepEqual(titles(), {});
  });

  const noDescriptions: [what: string, make: (file: string) => void][] = [
    ['a link to a package within', (file) => symlinkSync('sub/other.json', file)],
    ['a link to a package outside', (file) => symlinkSync('../outside.json', file)],
    ['a folder', (file) => mkdirSync(file)],
    ['a pipe', makePipe],
    ['a device, by a link', (file) => symlinkSync('/dev/zero', file)],
    ['not JSON', (file) => writeFileSync(file, '{"resources": [')],
    ['JSON of another kind', (file) => writeFileSync(file, '[]')],
    ['nested too deeply', (file) => writeFileSync(file, '['.repeat(200_000))],
    [
      'larger than 64 MiB',
      (file) => {
        writeFileSync(file, describeTitles({ 'a.txt': 'large' }));
        truncateSync(file, 64 * 1024 * 1024 + 1);
      },
    ],
  ];
  for (const [what, make] of noDescriptions) {
    it(`does not come from a datapackage.json that is ${what}`, () => {
      writeFiles(folder, { 'sub/other.json': describeTitles({ 'a.txt': 'other' }) });
      writeFiles(root, { 'outside.json': describeTitles({ 'a.txt': 'outside' }) });
      make(`${folder}/datapackage.json`);
      assert.deepEqual(titles(), {});
    });
  }

  it('follows new, changed and removed packages', () => {
    assert.deepEqual(titles(), {});
    for (const title of ['one', 'two', 'three']) {
      writeFiles(folder, { 'datapackage.json': describeTitles({ 'a.txt': title }) });
      assert.deepEqual(titles(), { 'a.txt': title });
    }
    rmSync(`${folder}/datapackage.json`);
    assert.deepEqual(titles(), {});
  });

  it('follows a change of a package with the same size and modification time', () => {
    const file = `${folder}/datapackage.json`;
    writeFileSync(file, describeTitles({ 'a.txt': 'one' }));
    const { atime } = statSync(file);
    utimesSync(file, atime, atime);
    const { ctimeMs } = statSync(file);
    assert.deepEqual(titles(), { 'a.txt': 'one' });
    writeFileSync(file, describeTitles({ 'a.txt': 'two' }));
    do utimesSync(file, atime, atime);
    while (statSync(file).ctimeMs === ctimeMs);
    assert.deepEqual(titles(), { 'a.txt': 'two' });
  });

  it('is available for more packages than the cache holds', () => {
    const names = Array.from({ length: 70 }, (_, number) => `n${number}`);
    for (const name of names) {
      writeFiles(folder, { [`${name}/datapackage.json`]: describeTitles({ x: name }), [`${name}/x`]: '' });
    }
    const expected = Object.fromEntries(names.map((name) => [`${name}/x`, name]));
    assert.deepEqual([titles(), titles()], [expected, expected]);
  });

  const swaps: [what: string, make: (file: string) => void][] = [
    ['a pipe', makePipe],
    ['a link to a file outside', (file) => symlinkSync('../outside.json', file)],
  ];
  for (const [what, make] of swaps) {
    it(`does not come from a package that ${what} replaced just after it was checked`, () => {
      writeFiles(root, { 'outside.json': describeTitles({ 'a.txt': 'outside' }) });
      const file = `${folder}/datapackage.json`;
      writeFileSync(file, describeTitles({ 'a.txt': 'A' }));
      const interception = onCall('lstatSync', file, (callOriginal) => {
        const stats = callOriginal();
        rmSync(file);
        make(file);
        return stats;
      });
      try {
        assert.equal(walkAll(folder, '', reader).files[0]?.metadata, undefined);
      } finally {
        interception.dispose();
      }
    });
  }

  it('is not read through a link', () => {
    writeFiles(root, { 'outside/b.txt': '', 'outside/datapackage.json': describeTitles({ 'b.txt': 'outside' }) });
    rmSync(`${folder}/sub`, { recursive: true });
    symlinkSync('../outside', `${folder}/sub`);
    const calls: string[] = [];
    const spy = onCall('lstatSync', `${folder}/sub/datapackage.json`, (callOriginal) => {
      calls.push('sub');
      return callOriginal();
    });
    try {
      assert.deepEqual(reader.inspectPaths(folder, ['sub/b.txt']), [{ kind: 'gone', path: 'sub/b.txt' }]);
    } finally {
      spy.dispose();
    }
    assert.deepEqual(calls, []);
  });

  const descriptions: [path: string, is: boolean][] = [
    ['datapackage.json', true],
    ['sub/datapackage.json', true],
    ['sub/my-datapackage.json', false],
    ['ro-crate-metadata.json', true],
    ['sub/CITATION.cff', true],
    ['sub/dataset_description.json', true],
    ['sub/bagit.txt', true],
    ['sub/manifest-sha256.txt', true],
    ['sub/tagmanifest-sha256.txt', false],
    ['manifest.json', false],
    ['.sub/manifest.json', false],
    ['sub/manifest.json', false],
    [`${transferFolder}/manifest.json`, true],
    [`sub/${transferFolder}/manifest.json`, true],
    [`${transferFolder}/.sub/manifest.json`, false],
    [`${transferFolder}/manifest-${transferId}.json`, true],
    [`${transferFolder}/manifest-22222222-2222-4222-8222-222222222222.json`, false],
    [`sub/manifest-${transferId}.json`, false],
    [`.sub/manifest-${transferId}.json`, false],
  ];
  for (const [path, is] of descriptions) {
    it(`${is ? 'may change' : 'does not change'} when ${path} does`, () => {
      assert.equal(isDescriptionFile(path), is);
    });
  }
});
