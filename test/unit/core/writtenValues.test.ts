import assert from 'node:assert/strict';
import { parseWrittenDate, parseWrittenSize, writeDate, writeSize } from '../../../src/core/util/writtenValues.ts';

describe('A size in informal notation', () => {
  for (const [text, sizeBytes] of [
    ['0', 0],
    ['500', 500],
    ['10 MB', 10_000_000],
    ['10mb', 10_000_000],
    ['1.5 GiB', 1_610_612_736],
    ['1,5 Go', 1_500_000_000],
    ['2 Kio', 2048],
    ['3k', 3000],
    ['1,500', 1500],
    ['1,500,000 bytes', 1_500_000],
    ['1.500.000 octets', 1_500_000],
    ['1 500 kB', 1_500_000],
    ['1 TB', 1_000_000_000_000],
  ] as const)
    it(`reads ${text}`, () => assert.equal(parseWrittenSize(text), sizeBytes));

  for (const text of ['', 'big', '-5', '10 XB', '1.2.3', 'MB', '10 MB or so', '9999999 PB'])
    it(`refuses "${text}"`, () => assert.equal(parseWrittenSize(text), undefined));

  it('is written so that it is read as the same size', () => {
    assert.deepEqual([10_000_000, 1_610_612_736, 1234, 2048, 67_000, 0].map(writeSize), [
      '10 MB',
      '1.5 GiB',
      '1234',
      '2 KiB',
      '67 kB',
      '0',
    ]);
    for (const size of [1, 999, 1000, 1010, 1024, 1536, 123_456_789, 2 ** 40])
      assert.equal(parseWrittenSize(writeSize(size)), size);
  });
});

describe('A date in informal notation', () => {
  const now = new Date(2026, 4, 20, 15, 45).getTime();
  const local = (...parts: [number, number, number, number?, number?, number?]): number => new Date(...parts).getTime();

  for (const [text, at] of [
    ['2026-05-01', local(2026, 4, 1)],
    ['2026-05-01 14:30', local(2026, 4, 1, 14, 30)],
    ['2026-05', local(2026, 4, 1)],
    ['2025', local(2025, 0, 1)],
    ['2026-05-01T00:00:00Z', Date.UTC(2026, 4, 1)],
    ['today', local(2026, 4, 20)],
    ['Yesterday', local(2026, 4, 19)],
    ['last week', local(2026, 4, 13)],
    ['last 3 days', local(2026, 4, 17)],
    ['3 days ago', local(2026, 4, 17)],
    ['a month ago', local(2026, 3, 20)],
    ['last year', local(2025, 4, 20)],
    ['2 hours ago', local(2026, 4, 20, 13, 45)],
    ['hier', local(2026, 4, 19)],
    ['aujourd’hui', local(2026, 4, 20)],
    ['la semaine dernière', local(2026, 4, 13)],
    ['il y a 3 jours', local(2026, 4, 17)],
    ['les 2 derniers mois', local(2026, 2, 20)],
    ["l'année dernière", local(2025, 4, 20)],
  ] as const)
    it(`reads ${text}`, () => assert.equal(parseWrittenDate(text, now), at));

  for (const text of ['', 'soon', '2026-13-01', '2026-02-30', '2026-05-01 25:00', 'last', '05/01/2026', '3 moons ago'])
    it(`refuses "${text}"`, () => assert.equal(parseWrittenDate(text, now), undefined));

  it('falls back to the last day of a shorter month', () => {
    assert.equal(parseWrittenDate('last month', local(2026, 2, 31)), local(2026, 1, 28));
  });

  it('is written so that it is read as the same time', () => {
    assert.deepEqual(
      [writeDate(local(2026, 4, 1)), writeDate(local(2026, 4, 1, 9, 5)), writeDate(local(2026, 4, 1, 0, 0, 7))],
      ['2026-05-01', '2026-05-01 09:05', '2026-05-01 00:00:07'],
    );
    for (const at of [parseWrittenDate('3 hours ago', now + 33_691) ?? NaN, local(2026, 4, 1, 23, 59, 59)])
      assert.equal(parseWrittenDate(writeDate(at), now), at);
  });
});
