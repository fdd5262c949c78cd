import assert from 'node:assert/strict';
import { describeSkippedFiles } from '../../src/extension/words/matchWords.ts';

describe('The message about files that were not compared', () => {
  const tooLarge = (start: number) => ({ start, count: 1, reason: { kind: 'tooLarge' } }) as const;
  const lost = { start: 8, reason: { kind: 'dropped', code: 'ECONNRESET' } } as const;
  const prefix = 'Files not compared, by position in the database:';

  it('is absent if all files were compared', () => assert.equal(describeSkippedFiles([]), undefined));

  it('states the reason once for files with the same reason', () => {
    assert.equal(
      describeSkippedFiles([tooLarge(4), tooLarge(6)]),
      `${prefix} file 5, file 7 (the response is too large).`,
    );
  });

  it('states each reason for its own files', () => {
    const reason = 'the connection was lost before the response was complete (ECONNRESET)';
    assert.equal(
      describeSkippedFiles([tooLarge(4), lost]),
      `${prefix} file 5 (the response is too large). ${prefix} file 9 onward (${reason}).`,
    );
  });

  it('names the first files with the same reason', () => {
    const skipped = [0, 1, 2, 3, 4, 5, 6].map(tooLarge);
    assert.equal(
      describeSkippedFiles(skipped),
      `${prefix} file 1, file 2, file 3, file 4, file 5, 2 others (the response is too large).`,
    );
  });
});
