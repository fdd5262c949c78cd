import assert from 'node:assert/strict';
import { compareFiles, hasDifference } from '../../../src/core/recipes/planRecipe.ts';
import type { RecipeFile } from '../../../src/core/recipes/recipeFile.ts';

const file: RecipeFile = { id: '1', path: 'a.csv', bytes: 3, hash: 'a'.repeat(64) };

describe('Comparing files with those of a lock', () => {
  function countChanged(before: RecipeFile, after: RecipeFile): number {
    return compareFiles([before], [after]).changed.length;
  }

  it('counts a file as unchanged if its service reports a hash or size for the first time (D22)', () => {
    const { id, path } = file;
    assert.equal(countChanged({ id, path }, file), 0);
    assert.equal(countChanged(file, { id, path }), 0);
  });

  it('counts a file as changed if its path, size or hash differs', () => {
    assert.equal(countChanged(file, { ...file, path: 'b.csv' }), 1);
    assert.equal(countChanged(file, { ...file, bytes: 4 }), 1);
    assert.equal(countChanged(file, { ...file, hash: 'b'.repeat(64) }), 1);
    assert.equal(countChanged(file, { ...file, hash: `sha256:${'A'.repeat(64)}` }), 0);
  });

  it('compares hashes of an unknown form as texts, and no hashes of different forms or algorithms', () => {
    const unknown = { ...file, hash: 'etag-1' };
    assert.equal(countChanged(unknown, { ...file, hash: 'etag-2' }), 1);
    assert.equal(countChanged(unknown, unknown), 0);
    assert.equal(countChanged(unknown, file), 0);
    assert.equal(countChanged(file, { ...file, hash: 'b'.repeat(32) }), 0);
  });

  it('finds a difference if a file is new, gone or changed', () => {
    const other = { ...file, id: '2' };
    const differ = (before: readonly RecipeFile[], after: readonly RecipeFile[]): boolean =>
      hasDifference(compareFiles(before, after));
    assert.deepEqual(
      [differ([file], [file]), differ([file], [file, other]), differ([file, other], [other])],
      [false, true, true],
    );
    assert.equal(differ([file], [{ ...file, bytes: 4 }]), true);
  });
});
