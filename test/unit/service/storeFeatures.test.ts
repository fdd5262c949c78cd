import assert from 'node:assert/strict';
import { findReportedTime, parseStoreFeatures } from '../../../src/service/stores/storeFeatures.ts';

/** Features that rclone states for a remote that wraps a fast or a slow store. */
const stated = { Hashes: ['md5'], Precision: 1e9, Features: { Move: true, SlowHash: false, SlowModTime: false } };

describe('The features of a store (D62)', () => {
  it('promise hashes and times in listings, unless the remote wraps another, which may be slow', () => {
    const wrapped = { ...stated, Features: { ...stated.Features, UnWrap: true } };
    const documents = [
      [true, { ...stated, String: 'S3 bucket lab' }],
      [false, { ...stated, String: "combine root 'a'" }],
      [false, { ...stated, String: "union root ''" }],
      [false, { ...wrapped, String: "Chunked 'lab:'" }],
      [false, { ...wrapped, String: 'hasher::lab:' }],
    ] as const;
    for (const [isListed, document] of documents) {
      const features = parseStoreFeatures(document);
      const promised = [features?.hasListedHashes, features?.hasListedTimes];
      assert.deepEqual(promised, [isListed, isListed], document.String);
    }
  });

  it('tell which reported times may be others', () => {
    const sftp = parseStoreFeatures({ ...stated, String: 'sftp://me@lab//data' })?.keptTimes;
    const bucket = parseStoreFeatures({ ...stated, String: 'S3 bucket lab' })?.keptTimes;
    const [last, first] = ['2038-01-19T03:14:07Z', '2038-01-19T03:14:08Z'].map(Date.parse);
    assert.deepEqual([findReportedTime(sftp, last), findReportedTime(sftp, first)], [last, undefined]);
    assert.equal(findReportedTime(bucket, first), first);
  });
});
