import assert from 'node:assert/strict';
import { UserDataSizeError } from '../../src/core/userData/userData.ts';
import { describeExportError } from '../../src/extension/words/userDataWords.ts';

describe('The data for another machine (D65)', () => {
  it('is reported as exceeding the limit for imports', () => {
    assert.match(describeExportError(new UserDataSizeError()), /^the file would exceed 256 MB, the limit for imports/);
    assert.equal(describeExportError(new Error('No space is left.')), 'No space is left.');
  });
});
