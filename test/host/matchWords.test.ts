import assert from 'node:assert/strict';
import { describeSkippedFiles } from '../../src/extension/words/matchWords.ts';

describe('The message about files that were not compared', () => {
  const tooLarge = (start: number) => ({ start, count: 1, reason: { kind: 'tooLarge' } }) as const;
  const lost = { start: 8, reason: { kind: 'dropped', code: 'ECONNRESET' } } as const;
  const numbering = 'File numbers are positions in the list of all files in the database.';

  it('is absent if all files were compared', () => assert.equal(describeSkippedFiles([]), undefined));

  it('states the reason once for files with the same reason', () => {
    assert.equal(
      describeSkippedFiles([tooLarge(4), tooLarge(6)]),
      `Files not compared (the response is too large): file 5, file 7. ${numbering}`,
    );
  });

  it('states each reason for its own files', () => {
    const reason = 'the connection was lost before the response was complete (ECONNRESET)';
    const first = `Files not compared (the response is too large): file 5.`;
    const second = `Files not compared (${reason}): file 9 onward.`;
    assert.equal(describeSkippedFiles([tooLarge(4), lost]), `${first} ${second} ${numbering}`);
  });

  it('names the first files with the same reason', () => {
    const skipped = [0, 1, 2, 3, 4, 5, 6].map(tooLarge);
    const files = 'file 1, file 2, file 3, file 4, file 5, 2 others';
    assert.equal(
      describeSkippedFiles(skipped),
      `Files not compared (the response is too large): ${files}. ${numbering}`,
    );
  });

  it('always names the file from which on no file was compared', () => {
    const skipped = [...[0, 1, 2, 3, 4, 5].map(tooLarge), { start: 6, reason: { kind: 'tooLarge' } }] as const;
    const files = 'file 1, file 2, file 3, file 4, 2 others, file 7 onward';
    assert.equal(
      describeSkippedFiles(skipped),
      `Files not compared (the response is too large): ${files}. ${numbering}`,
    );
  });
});
