import assert from 'node:assert/strict';
import { getRepeatableOrder, type Transfer } from '../../../src/core/model/transferModel.ts';
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

  describe('is submitted again', () => {
    const order = { connectionId: 'local', orcid: '', source: 'a', destination: 'b', files: [], folder: 'run-42' };
    const refused: Transfer = { key: 'one', order, createdAt: 1, state: 'refused', changes: [] };
    const getFolder = (more: Partial<Transfer>): string | undefined =>
      getRepeatableOrder({ ...refused, ...more }).folder;

    it('if the transfer was never accepted', () => {
      assert.equal(getFolder({ problem: { kind: 'notSent' } }), 'run-42');
      assert.equal(getFolder({ state: 'notConfirmed', problem: { kind: 'timeout', maybeDone: true } }), 'run-42');
      assert.equal(getFolder({ problem: { kind: 'serverError', status: 500 } }), 'run-42');
    });

    it('unless its folder exists, or the service refused it', () => {
      assert.equal(getFolder({ id, state: 'failed' }), undefined);
      assert.equal(getFolder({ problem: { kind: 'refused', status: 409 } }), undefined);
      assert.equal(getFolder({ problem: { kind: 'noFolderChoice' } }), undefined);
    });

    it('not as one of the instructions, if its folder exists', () => {
      const { folder, ...plain } = order;
      const ended: Transfer = { ...refused, id, order: { ...plain, instructions: { folder, type: 'x' } } };
      assert.deepEqual(getRepeatableOrder(ended).instructions, { folder, type: 'x' });
      assert.deepEqual(getRepeatableOrder({ ...ended, status: { folder } }), { ...plain, instructions: { type: 'x' } });
      const only = { ...ended, order: { ...plain, instructions: { folder } }, status: { folder } };
      assert.deepEqual(getRepeatableOrder(only), plain);
    });
  });
});
