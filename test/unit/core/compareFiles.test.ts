import assert from 'node:assert/strict';
import { compareFiles } from '../../../src/core/recipes/compareFiles.ts';
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
});
