import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, truncate } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { ManifestError, readManifest, type TransferManifest } from '../../../src/core/verification/transferManifest.ts';
import { parseDeclaredHash } from '../../../src/core/util/declaredHash.ts';
import { ReceivedFolder } from '../../support/receivedFolder.ts';
import { property } from '../../support/property.ts';

describe('The manifest of transferred files', () => {
  let transferred: ReceivedFolder;
  beforeEach(async () => (transferred = await ReceivedFolder.create()));
  afterEach(() => transferred.remove());

  async function read(manifest: unknown): Promise<TransferManifest> {
    await transferred.describe(manifest);
    return await readManifest(transferred.manifest);
  }

  const md5 = 'd41d8cd98f00b204e9800998ecf8427e';

  it('is read as the local service writes it (D24)', async () => {
    const id = '3f7c1a52-90a1-4a8e-9a55-aaaaaaaaaaaa';
    const hash = `sha256:${'a'.repeat(64)}`;
    const resources = [{ id: 'f', name: 'f', path: 'sub/f, 100%.csv', bytes: 5, hash, title: 'F' }];
    const { files, problemCount, ...rest } = await read({ profile: 'data-package', id, created: 'now', resources });
    assert.deepEqual(files, [
      {
        path: 'sub/f, 100%.csv',
        places: ['sub/f, 100%.csv'],
        id: 'f',
        sizeBytes: 5,
        hash: { algorithm: 'sha256', hex: 'a'.repeat(64) },
      },
    ]);
    assert.deepEqual([rest.id, rest.created, problemCount], [id, 'now', 0]);
  });

  it('is read as the public server writes it: bare MD5, no id, paths with escaped colons', async () => {
    const resources = [
      { id: 'JDP:1', path: 'img/x.tar.gz', bytes: 0, hash: md5, encoding: 'utf-8', sources: [{ path: 'https://a.b' }] },
      { id: 'nmdc:1', path: 'nmdc\\:omprc-11/nmdc\\:wf.1/x.faa', bytes: 1, hash: '' },
    ];
    const { files, problemCount } = await read({
      username: 'carberry',
      description: '# Hello',
      resources,
    });
    assert.deepEqual(
      files.map(({ places, hash }) => [places, hash]),
      [
        [['img/x.tar.gz'], { algorithm: 'md5', hex: md5 }],
        [['nmdc:omprc-11/nmdc:wf.1/x.faa', 'nmdc\\:omprc-11/nmdc\\:wf.1/x.faa'], undefined],
      ],
    );
    assert.equal(problemCount, 0);
  });

  const hashes: readonly (readonly [text: string | null | undefined, algorithm: string | undefined])[] = [
    [md5, 'md5'],
    [`MD5:${md5.toUpperCase()}`, 'md5'],
    ['a'.repeat(40), 'sha1'],
    [`sha-256:${'b'.repeat(64)}`, 'sha256'],
    ['c'.repeat(64), 'sha256'],
    [`sha512:${'d'.repeat(128)}`, 'sha512'],
    [`sha256:${md5}`, undefined],
    [`crc32:${'a'.repeat(8)}`, undefined],
    ['constructor:aa', undefined],
    [`md5:${md5}:anything`, undefined],
    [`:${md5}`, undefined],
    [`${md5}-12`, undefined],
    ['<md5 hex>', undefined],
    ['', undefined],
    [null, undefined],
  ];
  for (const [text, algorithm] of hashes) {
    it(`parses the hash ${String(text).slice(0, 20)} as ${algorithm ?? 'none that can be checked'}`, () => {
      assert.equal(parseDeclaredHash(text)?.algorithm, algorithm);
    });
  }

  const outside = [
    '../outside.txt',
    'sub/../../outside.txt',
    '/etc/passwd',
    '/global/cfs/elsewhere/w.fasta',
    'C:/Windows/win.ini',
    'C:\\Windows\\win.ini',
    '..\\outside.txt',
    'nul\0byte',
    '.',
    './/',
  ];
  for (const path of outside) {
    it(`reports the path ${JSON.stringify(path)} as leading out of the folder, and doesn't list it`, async () => {
      const { files, problems } = await read({ resources: [{ id: 'x', path }] });
      assert.deepEqual([files, problems], [[], [{ kind: 'outsideFolder', path, position: 0, id: 'x' }]]);
    });
  }

  const odd: readonly (readonly [what: string, resource: unknown, problems: readonly string[], files: number])[] = [
    ['text instead of an object', 'text', ['notObject'], 0],
    ['null instead of an object', null, ['notObject'], 0],
    ['a list instead of an object', [], ['notObject'], 0],
    ['no path', { id: 'x' }, ['noPath'], 0],
    ['an empty path', { path: '' }, ['noPath'], 0],
    ['a path that is a number', { path: 5 }, ['noPath'], 0],
    ['only inline data', { name: 'inline', data: [1, 2] }, [], 0],
    ['a URL as the path', { path: 'https://example.org/x.csv' }, [], 0],
    ['a size that is a string', { path: 'a', bytes: '5' }, ['wrongType'], 1],
    ['a negative size', { path: 'a', bytes: -1 }, ['wrongType'], 1],
    ['a hash that is an object', { path: 'a', hash: {} }, ['wrongType'], 1],
    ['null as size and hash', { path: 'a', bytes: null, hash: null }, [], 1],
    ['several paths', { path: ['a', 'b', 7], bytes: 2, hash: md5 }, ['noPath'], 2],
    ['the same path twice', { path: ['a', './a'] }, ['repeated'], 1],
    ['an id that is not a string', { path: 'a', id: 5 }, [], 1],
  ];
  for (const [what, resource, problems, count] of odd) {
    it(`continues after a resource with ${what}`, async () => {
      const { files, ...manifest } = await read({ resources: [resource, { path: 'last' }] });
      assert.deepEqual(
        manifest.problems.map(({ kind }) => kind),
        problems,
      );
      assert.equal(files.length, count + 1);
    });
  }

  it('reports a URL as a file that a transfer cannot contain', async () => {
    const resources = [{ id: 'x', path: 'https://example.org/x.csv' }];
    const { problems } = await read({ name: 'manifest', keywords: ['dts', 'manifest'], resources });
    assert.deepEqual(problems, [{ kind: 'remote', path: 'https://example.org/x.csv', position: 0, id: 'x' }]);
  });

  it('finds the files of paths with backslashes or percent escapes', async () => {
    const { files, problems } = await read({ resources: [{ path: 'data\\a.csv' }, { path: 'my%20b.csv' }] });
    assert.deepEqual(
      files.map(({ places }) => places),
      [['data/a.csv'], ['my%20b.csv', 'my b.csv']],
    );
    assert.deepEqual(problems, []);
  });

  it('lists a limited number of problems, and counts all', async () => {
    const { problems, problemCount } = await read({
      resources: Array.from({ length: 5_000 }, () => 0),
    });
    assert.deepEqual([problems.length, problemCount], [1_000, 5_000]);
  });

  const piece = fc.constantFrom('..', '.', '', '/', '\\', '\\:', ':', 'C:', 'a', '\0', 'file:', '%2e%2e');
  property(
    'refers to no path outside its folder, whatever it contains',
    fc.array(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((pieces) => pieces.join('')),
        fc.array(piece).map((pieces) => pieces.join('/')),
      ),
    ),
    async (paths) => {
      const manifest = { name: 'manifest', keywords: ['dts'] };
      const { files, problemCount } = await read({ ...manifest, resources: paths.map((path) => ({ path })) });
      assert.equal(files.length + problemCount, paths.length);
      for (const place of files.flatMap(({ places }) => places)) {
        const relativePath = relative(transferred.folder, resolve(transferred.folder, place));
        assert.ok(
          relativePath !== '' && !isAbsolute(relativePath) && relativePath.split(sep)[0] !== '..',
          JSON.stringify(place),
        );
      }
    },
  );

  property('is read or rejected, whatever JSON it is', fc.json(), async (text) => {
    await transferred.describe(text);
    await readManifest(transferred.manifest).catch((error: unknown) => assert.ok(error instanceof ManifestError));
  });

  property('is read, whatever JSON its entries are', fc.array(fc.jsonValue()), async (resources) => {
    const { files, problems } = await read({ resources });
    assert.ok(files.length + problems.length <= 2 * JSON.stringify(resources).length);
  });

  async function assertFault(kind: ManifestError['kind'], code?: string): Promise<void> {
    await assert.rejects(readManifest(transferred.manifest), (error) => {
      assert.ok(error instanceof ManifestError);
      assert.deepEqual([error.kind, error.code], [kind, code]);
      return true;
    });
  }

  for (const [text, kind] of [
    ['', 'notJson'],
    ['{"resources": [', 'notJson'],
    ['\0\0\0', 'notJson'],
    ['[]', 'notPackage'],
    ['null', 'notPackage'],
    ['{"resources": {}}', 'notPackage'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'notPackage'],
  ] as const) {
    it(`is rejected as ${kind} if it is ${text.slice(0, 20)}`, async () => {
      await transferred.describe(text);
      await assertFault(kind);
    });
  }

  it('is rejected if it is too large to parse without blocking', async () => {
    await transferred.describe('{}');
    await truncate(transferred.manifest, 65 * 1024 * 1024);
    await assertFault('tooLarge');
  });

  it('is rejected if it lists too many files', async () => {
    await transferred.describe(`{"resources":[${'0,'.repeat(1_000_000)}0]}`);
    await assertFault('tooLarge');
  });

  it("is rejected with the reason if it is missing or isn't a file", async () => {
    await assertFault('missing', 'ENOENT');
    await mkdir(transferred.manifest);
    await assertFault('unreadable', 'EISDIR');
  });

  it("doesn't wait for a pipe that nobody writes to", async function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [transferred.manifest]);
    await assertFault('unreadable', 'EINVAL');
    await rm(join(transferred.folder, 'manifest.json'));
  });

  it('stops reading when it is canceled', async () => {
    await transferred.addTransferred({ a: 'a' });
    const reason = new Error('left');
    await assert.rejects(readManifest(transferred.manifest, AbortSignal.abort(reason)), reason);
  });
});
