import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { getLoginName } from '../../../src/core/util/userIdentity.ts';

describe('The login name of the user (D19)', () => {
  it('is the one that the operating system reports', () => {
    assert.equal(
      getLoginName(() => ' mmuster '),
      'mmuster',
    );
    assert.equal(getLoginName(), userInfo().username);
  });

  for (const [text, readName] of [
    [
      'unknown to the system',
      (): string => {
        throw new Error('uv_os_get_passwd returned ENOENT');
      },
    ],
    ['empty', () => ' '],
    ['an ORCID iD by its form', () => '0000000218250097'],
  ] as const) {
    it(`is replaced if it is ${text}`, () => {
      assert.equal(getLoginName(readName), 'local user');
    });
  }
});
