import assert from 'node:assert/strict';
import { findStoreCause } from '../../../src/core/util/storeProblem.ts';

describe('The cause of a failure of a store (D62)', () => {
  for (const [output, cause] of [
    ['NoSuchKey: not found, status code: 404, path f401/x403-507.bin', undefined],
    ['Unknown: status code: 401, request id: 1', 'its server rejects the credentials'],
    ['couldn’t list: 401 Unauthorized', 'its server rejects the credentials'],
    ['Forbidden: Forbidden, status code: 403', 'its server denies access'],
    ['update mkParentDir failed: 507 Insufficient Storage', 'it is full'],
  ] as const) {
    it(`is ${cause ?? 'unknown'} for: ${output}`, () => {
      assert.equal(findStoreCause(output), cause);
    });
  }
});
