import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, truncate } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { ManifestFault, readManifest, type LandedManifest } from '../../../src/core/landed/landedManifest.ts';
import { declaredHashOf } from '../../../src/core/util/declaredHash.ts';
import { LandedFolder } from '../../support/landedFolder.ts';
import { property } from '../../support/property.ts';

describe('The manifest of a landed transfer', () => {
  let landed: LandedFolder;
  beforeEach(async () => (landed = await LandedFolder.make()));
  afterEach(() => landed.remove());

  async function read(manifest: unknown): Promise<LandedManifest> {
    await landed.describe(manifest);
    return await readManifest(landed.manifest);
  }

  const md5 = 'd41d8cd98f00b204e9800998ecf8427e';

  it('is read as the local service writes it (D24)', async () => {
    const id = '3f7c1a52-90a1-4a8e-9a55-aaaaaaaaaaaa';
    const hash = `sha256:${'a'.repeat(64)}`;
    const resources = [{ id: 'f', name: 'f', path: 'sub/f, 100%.csv', bytes: 5, hash, title: 'F' }];
    const { files, troubleCount, ...rest } = await read({ profile: 'data-package', id, created: 'now', resources });
    assert.deepEqual(files, [
      {
        path: 'sub/f, 100%.csv',
        places: ['sub/f, 100%.csv'],
        id: 'f',
        sizeBytes: 5,
        hash: { algorithm: 'sha256', hex: 'a'.repeat(64) },
      },
    ]);
    assert.deepEqual([rest.id, rest.created, troubleCount], [id, 'now', 0]);
  });

  it('is read as the public service writes it: bare MD5, no id, paths with escaped colons', async () => {
    const resources = [
      { id: 'JDP:1', path: 'img/x.tar.gz', bytes: 0, hash: md5, encoding: 'utf-8', sources: [{ path: 'https://a.b' }] },
      { id: 'nmdc:1', path: 'nmdc\\:omprc-11/nmdc\\:wf.1/x.faa', bytes: 1, hash: '' },
    ];
    const { files, troubleCount } = await read({ username: 'carberry', description: '# Hello', resources });
    assert.deepEqual(
      files.map(({ places, hash }) => [places, hash]),
      [
        [['img/x.tar.gz'], { algorithm: 'md5', hex: md5 }],
        [['nmdc:omprc-11/nmdc:wf.1/x.faa', 'nmdc\\:omprc-11/nmdc\\:wf.1/x.faa'], undefined],
      ],
    );
    assert.equal(troubleCount, 0);
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
    [`${md5}-12`, undefined],
    ['<md5 hex>', undefined],
    ['', undefined],
    [null, undefined],
  ];
  for (const [text, algorithm] of hashes) {
    it(`takes the hash ${String(text).slice(0, 20)} for ${algorithm ?? 'none that can be checked'}`, () => {
      assert.equal(declaredHashOf(text)?.algorithm, algorithm);
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
    it(`names the path ${JSON.stringify(path)} as one that leads out, and takes it for no file`, async () => {
      const { files, troubles } = await read({ resources: [{ id: 'x', path }] });
      assert.deepEqual([files, troubles], [[], [{ kind: 'leadsOut', path, position: 0, id: 'x' }]]);
    });
  }

  const odd: readonly (readonly [what: string, resource: unknown, troubles: readonly string[], files: number])[] = [
    ['no object', 'text', ['noObject'], 0],
    ['null', null, ['noObject'], 0],
    ['a list', [], ['noObject'], 0],
    ['no path', { id: 'x' }, ['noPath'], 0],
    ['an empty path', { path: '' }, ['noPath'], 0],
    ['a path that is a number', { path: 5 }, ['noPath'], 0],
    ['only data of its own', { name: 'inline', data: [1, 2] }, [], 0],
    ['a place on the network', { path: 'https://example.org/x.csv' }, ['elsewhere'], 0],
    ['a size that is text', { path: 'a', bytes: '5' }, ['wrongType'], 1],
    ['a size below nothing', { path: 'a', bytes: -1 }, ['wrongType'], 1],
    ['a hash that is an object', { path: 'a', hash: {} }, ['wrongType'], 1],
    ['nothing for size and hash', { path: 'a', bytes: null, hash: null }, [], 1],
    ['several paths', { path: ['a', 'b', 7], bytes: 2, hash: md5 }, ['noPath'], 2],
    ['the same path twice', { path: ['a', './a'] }, ['repeated'], 1],
    ['an id that is no text', { path: 'a', id: 5 }, [], 1],
  ];
  for (const [what, resource, troubles, count] of odd) {
    it(`goes on after a resource with ${what}`, async () => {
      const { files, ...manifest } = await read({ resources: [resource, { path: 'last' }] });
      assert.deepEqual(
        manifest.troubles.map(({ kind }) => kind),
        troubles,
      );
      assert.equal(files.length, count + 1);
    });
  }

  it('tells a bounded number of troubles, and how many there are', async () => {
    const { troubles, troubleCount } = await read({ resources: Array.from({ length: 5_000 }, () => 0) });
    assert.deepEqual([troubles.length, troubleCount], [1_000, 5_000]);
  });

  const piece = fc.constantFrom('..', '.', '', '/', '\\', '\\:', ':', 'C:', 'a', '\0', 'file:', '%2e%2e');
  property(
    'leads to no place outside of its folder, whatever its paths are',
    fc.array(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((pieces) => pieces.join('')),
        fc.array(piece).map((pieces) => pieces.join('/')),
      ),
    ),
    async (paths) => {
      const { files, troubleCount } = await read({ resources: paths.map((path) => ({ path })) });
      assert.equal(files.length + troubleCount, paths.length);
      for (const place of files.flatMap(({ places }) => places)) {
        const way = relative(landed.folder, resolve(landed.folder, place));
        assert.ok(way !== '' && !isAbsolute(way) && way.split(sep)[0] !== '..', JSON.stringify(place));
      }
    },
  );

  property('is read or refused, whatever JSON it is', fc.json(), async (text) => {
    await landed.describe(text);
    await readManifest(landed.manifest).catch((error: unknown) => assert.ok(error instanceof ManifestFault));
  });

  property('is read, whatever JSON its entries are', fc.array(fc.jsonValue()), async (resources) => {
    const { files, troubles } = await read({ resources });
    assert.ok(files.length + troubles.length <= 2 * JSON.stringify(resources).length);
  });

  async function assertFault(kind: ManifestFault['kind'], code?: string): Promise<void> {
    await assert.rejects(readManifest(landed.manifest), (error) => {
      assert.ok(error instanceof ManifestFault);
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
    it(`is refused as ${kind} when it is ${text.slice(0, 20)}`, async () => {
      await landed.describe(text);
      await assertFault(kind);
    });
  }

  it('is refused when it is larger than can be read without holding everything up', async () => {
    await landed.describe('{}');
    await truncate(landed.manifest, 65 * 1024 * 1024);
    await assertFault('tooLarge');
  });

  it('is refused when it names very many files', async () => {
    await landed.describe(`{"resources":[${'0,'.repeat(1_000_000)}0]}`);
    await assertFault('tooLarge');
  });

  it('says that it is missing, or is no file', async () => {
    await assertFault('missing', 'ENOENT');
    await mkdir(landed.manifest);
    await assertFault('unreadable', 'EISDIR');
  });

  it('does not wait for a pipe that nobody writes to', async function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [landed.manifest]);
    await assertFault('unreadable', 'EISDIR');
    await rm(join(landed.folder, 'manifest.json'));
  });

  it('is read no further when that is cancelled', async () => {
    await landed.land({ a: 'a' });
    const reason = new Error('left');
    await assert.rejects(readManifest(landed.manifest, AbortSignal.abort(reason)), reason);
  });
});
