import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRegularFile } from '../../../src/core/util/durableFiles.ts';

describe('A regular file of limited size', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'regular-file-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const length of [0, 1, 99, 100])
    it(`is read if it has ${length} of at most 100 bytes`, async () => {
      const path = join(folder, 'file');
      await writeFile(path, 'a'.repeat(length));
      assert.equal(await readRegularFile(path, 100), 'a'.repeat(length));
    });

  it('is not read if it has one byte more', async () => {
    const path = join(folder, 'file');
    await writeFile(path, 'a'.repeat(101));
    await assert.rejects(readRegularFile(path, 100), { code: 'EFBIG' });
  });
});
