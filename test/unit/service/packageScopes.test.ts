import assert from 'node:assert/strict';
import { mkdirSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { FolderReader } from '../../../src/service/catalog/folderReader.ts';
import { isDescription } from '../../../src/service/catalog/packageScopes.ts';
import { freshFolder, makePipe, onCall, walkWhole, writeFiles } from './folderRig.ts';

const landing = 'dts-11111111-1111-4111-8111-111111111111';

/** A Data Package that gives these files these titles. */
function describing(titles: Readonly<Record<string, string>>): string {
  return JSON.stringify({ resources: Object.entries(titles).map(([path, title]) => ({ path, title })) });
}

describe('The metadata of files from the Data Packages around them (D20)', () => {
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

  /** The titles by paths, as a walk and as a look give them. */
  function titles(): Record<string, string> {
    const { files } = walkWhole(folder, '', reader);
    const paths = files.map(({ path }) => path);
    const looked = reader.look(folder, paths);
    assert.deepEqual(
      looked.map((sight) => (sight.kind === 'file' ? sight.file : sight.kind)),
      files,
    );
    return Object.fromEntries(
      files.flatMap(({ path, metadata }) => {
        const { title } = JSON.parse(metadata ?? '{}') as { title?: string };
        return title === undefined ? [] : [[path, title]];
      }),
    );
  }

  it('is taken from the nearest package that names the file', () => {
    writeFiles(folder, {
      'datapackage.json': describing({ 'a.txt': 'A', 'sub/b.txt': 'far B', 'sub/deep/c.txt': 'far C' }),
      'sub/datapackage.json': describing({ 'b.txt': 'B' }),
      'sub/deep/datapackage.json': describing({ '../b.txt': 'out', '/c.txt': 'absolute' }),
    });
    assert.deepEqual(titles(), { 'a.txt': 'A', 'sub/b.txt': 'B', 'sub/deep/c.txt': 'far C' });
  });

  it('is known for a walk of a part too', () => {
    writeFiles(folder, { 'datapackage.json': describing({ 'sub/deep/c.txt': 'C' }) });
    const [file] = walkWhole(folder, 'sub/deep', reader).files;
    assert.deepEqual([file?.path, file?.metadata], ['sub/deep/c.txt', '{"title":"C"}']);
  });

  it('is taken from the manifest of what a transfer landed, after a package that landed there (D24)', () => {
    writeFiles(folder, {
      [`${landing}/x.txt`]: '',
      [`${landing}/y.txt`]: '',
      [`${landing}/manifest.json`]: describing({ 'x.txt': 'X', 'y.txt': 'manifest' }),
      [`${landing}/datapackage.json`]: describing({ 'y.txt': 'Y' }),
      'sub/manifest.json': describing({ 'b.txt': 'no landing folder' }),
    });
    assert.deepEqual(titles(), { [`${landing}/x.txt`]: 'X', [`${landing}/y.txt`]: 'Y' });
  });

  const noDescriptions: [what: string, make: (file: string) => void][] = [
    ['a link to a package within', (file) => symlinkSync('sub/other.json', file)],
    ['a link to a package outside', (file) => symlinkSync('../outside.json', file)],
    ['a folder', (file) => mkdirSync(file)],
    ['a pipe', makePipe],
    ['a device, by a link', (file) => symlinkSync('/dev/zero', file)],
    ['no JSON', (file) => writeFileSync(file, '{"resources": [')],
    ['JSON of another kind', (file) => writeFileSync(file, '[]')],
    ['nested without end', (file) => writeFileSync(file, '['.repeat(200_000))],
    [
      'larger than 64 MiB',
      (file) => {
        writeFileSync(file, describing({ 'a.txt': 'large' }));
        truncateSync(file, 64 * 1024 * 1024 + 1);
      },
    ],
  ];
  for (const [what, make] of noDescriptions) {
    it(`is not taken from a datapackage.json that is ${what}`, () => {
      writeFiles(folder, { 'sub/other.json': describing({ 'a.txt': 'other' }) });
      writeFiles(root, { 'outside.json': describing({ 'a.txt': 'outside' }) });
      make(`${folder}/datapackage.json`);
      assert.deepEqual(titles(), {});
    });
  }

  it('is that of a package as it is now: new, changed, and gone', () => {
    assert.deepEqual(titles(), {});
    for (const title of ['one', 'two', 'three']) {
      writeFiles(folder, { 'datapackage.json': describing({ 'a.txt': title }) });
      assert.deepEqual(titles(), { 'a.txt': title });
    }
    rmSync(`${folder}/datapackage.json`);
    assert.deepEqual(titles(), {});
  });

  it('is that of a package as it is now also when neither its size nor its time tells of a change', () => {
    const file = `${folder}/datapackage.json`;
    writeFileSync(file, describing({ 'a.txt': 'one' }));
    const { atime } = statSync(file);
    utimesSync(file, atime, atime);
    const { ctimeMs } = statSync(file);
    assert.deepEqual(titles(), { 'a.txt': 'one' });
    writeFileSync(file, describing({ 'a.txt': 'two' }));
    do utimesSync(file, atime, atime);
    while (statSync(file).ctimeMs === ctimeMs);
    assert.deepEqual(titles(), { 'a.txt': 'two' });
  });

  it('is known for more packages than are kept', () => {
    const names = Array.from({ length: 70 }, (_, number) => `n${number}`);
    for (const name of names) {
      writeFiles(folder, { [`${name}/datapackage.json`]: describing({ x: name }), [`${name}/x`]: '' });
    }
    const wanted = Object.fromEntries(names.map((name) => [`${name}/x`, name]));
    assert.deepEqual([titles(), titles()], [wanted, wanted]);
  });

  const swaps: [what: string, make: (file: string) => void][] = [
    ['a pipe', makePipe],
    ['a link that leads out', (file) => symlinkSync('../outside.json', file)],
  ];
  for (const [what, make] of swaps) {
    it(`is not taken from a package that was replaced by ${what} just after it was looked at`, () => {
      writeFiles(root, { 'outside.json': describing({ 'a.txt': 'outside' }) });
      const file = `${folder}/datapackage.json`;
      writeFileSync(file, describing({ 'a.txt': 'A' }));
      const swapped = onCall('lstatSync', file, (answer) => {
        const stats = answer();
        rmSync(file);
        make(file);
        return stats;
      });
      try {
        assert.equal(walkWhole(folder, '', reader).files[0]?.metadata, undefined);
      } finally {
        swapped.dispose();
      }
    });
  }

  it('is not looked for behind a link', () => {
    writeFiles(root, { 'outside/b.txt': '', 'outside/datapackage.json': describing({ 'b.txt': 'outside' }) });
    rmSync(`${folder}/sub`, { recursive: true });
    symlinkSync('../outside', `${folder}/sub`);
    const looks: string[] = [];
    const seen = onCall('lstatSync', `${folder}/sub/datapackage.json`, (answer) => {
      looks.push('sub');
      return answer();
    });
    try {
      assert.deepEqual(reader.look(folder, ['sub/b.txt']), [{ kind: 'gone', path: 'sub/b.txt' }]);
    } finally {
      seen.dispose();
    }
    assert.deepEqual(looks, []);
  });

  const descriptions: [path: string, is: boolean][] = [
    ['datapackage.json', true],
    ['sub/datapackage.json', true],
    ['sub/my-datapackage.json', false],
    ['manifest.json', false],
    ['sub/manifest.json', false],
    [`${landing}/manifest.json`, true],
    [`sub/${landing}/manifest.json`, true],
    [`${landing}/sub/manifest.json`, false],
  ];
  for (const [path, is] of descriptions) {
    it(`${is ? 'may change' : 'does not change'} when ${path} does`, () => {
      assert.equal(isDescription(path), is);
    });
  }
});
