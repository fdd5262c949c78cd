import assert from 'node:assert/strict';
import { UserDataSizeError } from '../../src/core/userData/userData.ts';
import { describeConnectionRow, describeExportError } from '../../src/extension/words/userDataWords.ts';

describe('The data for another machine (D65)', () => {
  it('is reported as exceeding the limit for imports', () => {
    assert.match(describeExportError(new UserDataSizeError()), /^the file would exceed the import limit of 256 MB/);
    assert.equal(describeExportError(new Error('No space is left.')), 'No space is left.');
  });

  it('contains connections, which are shown with their address and port', () => {
    const connection = { id: 'c', name: 'C', server: 'https://dts.example.org/', port: 8443 };
    assert.equal(describeConnectionRow(connection, undefined).description, 'https://dts.example.org:8443');
  });
});
