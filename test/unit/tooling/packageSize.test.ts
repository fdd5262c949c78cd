import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { ensurePacked, packedExtension } from '../../support/prepared.ts';

describe('The size of the VSIX', () => {
  before(ensurePacked);

  it('is at most 775 kB', async () => {
    const { size } = await stat(packedExtension);
    assert.ok(size > 300_000 && size <= 775_000, `it has ${String(size)} bytes`);
  });
});
