import assert from 'node:assert/strict';
import { formatTime } from '../../src/extension/words/localeFormats.ts';

describe('The times in the rows of searches and transfers', () => {
  const now = new Date(2026, 10, 22, 17, 5).getTime();
  const times = [
    [new Date(2026, 10, 22, 9, 30), '9:30 AM'],
    [new Date(2026, 10, 21, 9, 30), 'Nov 21, 9:30 AM'],
    [new Date(2025, 10, 22, 9, 30), 'Nov 22, 2025, 9:30 AM'],
  ] as const;

  for (const [at, expected] of times)
    it(`show ${expected} on November 22, 2026`, () => {
      assert.equal(formatTime(at.getTime(), now).replaceAll('\u202F', ' '), expected);
    });
});
