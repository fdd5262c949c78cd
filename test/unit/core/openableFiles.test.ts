import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOpenableFiles } from '../../../src/core/verification/transferredFiles.ts';

const names = ['a.csv', 'b.csv', 'c.csv'];
const past = { at: 1, fileCount: 3, intactCount: 2 };

describe('The files that code opens', () => {
  let folder: string;
  const signal = new AbortController().signal;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openable-'));
    for (const name of names) await writeFile(join(folder, name), '');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are limited in number, and the others are counted', async () => {
    const { paths, omittedCount } = await findOpenableFiles({ folder }, undefined, { limit: 2, signal });
    assert.deepEqual([paths, omittedCount], [['a.csv', 'b.csv'], 1]);
  });

  it('exclude the damaged ones, unless it is not known which are damaged', async () => {
    const known = await findOpenableFiles({ folder }, { ...past, damaged: ['b.csv'] }, { limit: 9, signal });
    assert.deepEqual(known.paths, ['a.csv', 'c.csv']);
    assert.deepEqual((await findOpenableFiles({ folder }, past, { limit: 9, signal })).paths, names);
    const none = await findOpenableFiles({ folder }, { ...past, intactCount: 0 }, { limit: 9, signal });
    assert.deepEqual(none.paths, []);
  });

  it('are no longer searched for after the signal is aborted', async () => {
    const reason = new Error('too late');
    await assert.rejects(
      findOpenableFiles({ folder }, undefined, { limit: 9, signal: AbortSignal.abort(reason) }),
      reason,
    );
  });
});
