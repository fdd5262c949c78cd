import assert from 'node:assert/strict';
import { isFolderName } from '../../../src/core/util/folderName.ts';
import { isOwnManifest } from '../../../src/core/util/transferFolderNames.ts';

const id = '2c1d5e0a-0000-4000-8000-000000000003';

describe("The chosen name of a transfer's folder (D24)", () => {
  for (const name of ['run-42', 'Daten 2026', '2026-11-30_reads', '_x', 'Étude', 'a'.repeat(80), 'x@1+2=3', 'con1'])
    it(`can be ${name}`, () => assert.equal(isFolderName(name), true));

  const refused: readonly unknown[] = [
    ...['', '.', '..', '.hidden', 'a/b', 'a\\b', '/a', 'a/', 'C:', 'a:b', 'a\u0000b', 'a\nb', 'a\u202Eb', 'a*', '-rf'],
    ...['a.', 'a ', ' a', 'dts-x', `DTS-${id}`, `x.part-${id}`, 'X.PART-y', 'con', 'NUL.txt', 'com1', 'LPT¹', 'aux .x'],
    ...['a'.repeat(81), '~', '$HOME', 'a|b', 'a]b', '\uD800', 'a?', '"a"'],
    ...[undefined, null, 1, true, ['a'], { name: 'a' }],
  ];
  for (const name of refused) it(`can't be ${JSON.stringify(name)}`, () => assert.equal(isFolderName(name), false));

  it("makes a manifest the folder's own only if the local service wrote that name (D24)", () => {
    const manifest = { name: 'manifest', keywords: ['dts', 'manifest'], id, folder: 'run-42' };
    assert.equal(isOwnManifest('run-42', manifest), true);
    assert.equal(isOwnManifest(`dts-${id}`, manifest), true);
    assert.equal(isOwnManifest('renamed', manifest), false);
    assert.equal(isOwnManifest('run-42', { ...manifest, folder: undefined }), false);
    assert.equal(isOwnManifest('run-42', { ...manifest, keywords: [] }), false);
    assert.equal(isOwnManifest('..', { ...manifest, folder: '..' }), false);
  });
});
