import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PageTransfer } from '../../../src/messages/transferMessages.ts';
import { formatFor } from '../../../src/webviews/shared/format.ts';
import { movementOf } from '../../../src/webviews/transfer/movement.ts';
import { frameOf, linePath } from '../../../src/webviews/transfer/movementLine.ts';
import { notesOf } from '../../../src/webviews/transfer/notes.ts';
import { elapsedMs, timelineOf } from '../../../src/webviews/transfer/timeline.ts';
import { pageTransfer } from '../../support/pageTransfer.ts';

describe('The history of a transfer', () => {
  it('tells how long each state lasted, the present one until now', () => {
    const stretches = timelineOf(pageTransfer(), 20_000);
    assert.deepEqual(
      stretches.map(({ what, durationMs, isCurrent }) => [what, durationMs, isCurrent]),
      [
        ['submitting', 2000, false],
        ['staging', 6000, false],
        ['active', 11_000, true],
      ],
    );
  });

  it('gives an end no duration', () => {
    const changes = [...pageTransfer().changes, { state: 'succeeded', at: 12_000 } as const];
    const ended = pageTransfer({ state: 'succeeded', ended: true, changes });
    assert.equal(timelineOf(ended, 99_000).at(-1)?.durationMs, undefined);
    assert.equal(elapsedMs(ended, 99_000), 11_000);
  });

  it('does not say how long the last known state of a forgotten transfer lasted', () => {
    const changes = [...pageTransfer().changes, { state: 'expired', at: 12_000 } as const];
    const stretches = timelineOf(pageTransfer({ state: 'expired', ended: true, changes }), 99_000);
    assert.deepEqual(
      stretches.map(({ what, durationMs }) => [what, durationMs]),
      [
        ['submitting', 2000],
        ['staging', 6000],
        ['active', undefined],
        ['expired', undefined],
      ],
    );
  });

  it('puts an accepted cancel where it happened (D13)', () => {
    const stretches = timelineOf(pageTransfer({ cancelAcceptedAt: 5000 }), 20_000);
    assert.deepEqual(
      stretches.map(({ what }) => what),
      ['submitting', 'staging', 'cancelAccepted', 'active'],
    );
  });

  it('never runs backwards when the clock was set back', () => {
    assert.equal(elapsedMs(pageTransfer(), 500), 0);
    assert.equal(timelineOf(pageTransfer(), 500).at(-1)?.durationMs, 0);
  });
});

describe('The progress of a transfer', () => {
  const table: readonly (readonly [string, Partial<PageTransfer>, object])[] = [
    ['what the server counts', { status: { fileCount: 4, movedFileCount: 1 } }, { moved: 1, total: 4, share: 0.25 }],
    ['the number asked for until the server counts', { status: {} }, { total: 4 }],
    ['no more than all', { status: { fileCount: 4, movedFileCount: 9 } }, { moved: 4, total: 4, share: 1 }],
    ['no less than none', { status: { fileCount: 4, movedFileCount: -1 } }, { moved: 0, total: 4, share: 0 }],
    [
      'another count of the server',
      { status: { fileCount: 1, movedFileCount: 1 } },
      { moved: 1, total: 1, share: 1, countedByServer: 1 },
    ],
    ['nothing of nothing', { status: { fileCount: 0, movedFileCount: 0 } }, { moved: 0, total: 0, countedByServer: 0 }],
    [
      'none of the files of a success that moved none',
      { state: 'succeeded', ended: true, status: { fileCount: 0, movedFileCount: 0 } },
      { moved: 0, total: 4, share: 0, countedByServer: 0 },
    ],
    [
      'no full bar for a success of nothing at all',
      { state: 'succeeded', ended: true, startedElsewhere: true, askedFileCount: 0 },
      { total: 0 },
    ],
    ['success without counts as whole', { state: 'succeeded', ended: true }, { total: 4, share: 1 }],
  ];
  for (const [what, changed, wanted] of table)
    it(`shows ${what}`, () => assert.deepEqual(movementOf(pageTransfer(changed)), wanted));
});

describe('The line of files over time', () => {
  const series = [
    { at: 1000, moved: 0 },
    { at: 2000, moved: 1 },
    { at: 4000, moved: 4 },
  ];

  it('goes from the submission until now, and from no file to all of them', () => {
    assert.deepEqual(frameOf(series, 8, 500, 5000), { from: 500, to: 5000, most: 8 });
  });

  it('holds whatever was told: more files than all, and times that do not fit', () => {
    assert.deepEqual(frameOf(series, 2, 3000, 3000), { from: 1000, to: 4000, most: 4 });
    assert.deepEqual(frameOf([], 0, 7, 7), { from: 7, to: 8, most: 1 });
  });

  it('goes in steps: a count holds until another one is told', () => {
    const path = linePath(series, { from: 0, to: 5000, most: 4 }, 100, 40);
    assert.equal(path, 'M20 40H40V30H80V0H100');
  });

  it('is none without a count', () => {
    assert.equal(linePath([], { from: 0, to: 1, most: 1 }, 100, 40), '');
  });
});

describe('The notes of a transfer', () => {
  const format = formatFor('en');
  const keys = (changed: Partial<PageTransfer>): readonly string[] =>
    notesOf(pageTransfer(changed), 'staging', format).map(({ key }) => key);

  it('are none when all is well', () => {
    assert.deepEqual(keys({ status: { fileCount: 4, movedFileCount: 0 } }), []);
  });

  it('say that a submission without an answer may have been accepted (D12)', () => {
    assert.deepEqual(keys({ state: 'notConfirmed', problem: 'the service did not answer in time' }), [
      'state',
      'problem',
    ]);
  });

  it('say why a transfer was refused, once', () => {
    const [note, ...others] = notesOf(
      pageTransfer({ state: 'refused', ended: true, problem: 'no such file' }),
      '',
      format,
    );
    assert.equal(note?.text, 'The transfer was refused: no such file.');
    assert.deepEqual(others, []);
  });

  it('offer the remedy that fits a rejected sign-in (D44)', () => {
    const problem = 'the service rejected the ORCID iD';
    const remedy = (changed: Partial<PageTransfer>): unknown =>
      notesOf(pageTransfer({ problem, ...changed }), '', format)[0]?.remedy;
    const [orcid, key] = ['Set ORCID iD…', 'Set API Key…'].map((label) => ({ name: 'remedy', label }));
    assert.deepEqual(remedy({ state: 'refused', ended: true, remedy: 'orcid' }), orcid);
    assert.deepEqual(remedy({ remedy: 'key' }), key);
    assert.equal(remedy({}), undefined);
  });

  it('say that the server does not follow an accepted cancel (D13)', () => {
    const [note] = notesOf(pageTransfer({ cancelAcceptedAt: 1, cancelUnheeded: true }), 'staging', format);
    assert.equal(note?.text, 'The cancel was accepted, but the server still says "staging".');
    assert.deepEqual(keys({ cancelAcceptedAt: 1, state: 'cancelled', ended: true }), []);
  });

  it('mark a status that may be another transfer’s (D11)', () => {
    assert.deepEqual(keys({ status: { fileCount: 9, doubtful: true } }), ['doubtful'], 'its counts are not compared');
  });

  it('say when the server counts other files than were asked for', () => {
    assert.deepEqual(keys({ status: { fileCount: 1 } }), ['count']);
  });

  it('say how many files a success left out, and what to check (D39)', () => {
    const [note, ...others] = notesOf(
      pageTransfer({ state: 'succeeded', ended: true, status: { fileCount: 3, movedFileCount: 3 } }),
      'succeeded',
      format,
    );
    assert.match(note?.text ?? '', /^1 file was not transferred, although the service reported success\./);
    assert.equal(note?.kind, 'warning');
    assert.deepEqual(others, []);
  });

  it('say that a paused transfer continues when the local service is started', () => {
    const [note] = notesOf(pageTransfer({ paused: true }), 'active', format);
    assert.equal(note?.text, 'The local service is stopped. This transfer continues when you start it.');
  });

  it('say why the status could not be asked for, as long as that matters', () => {
    assert.deepEqual(keys({ problem: 'the service cannot be reached' }), ['problem']);
    assert.deepEqual(keys({ problem: 'the service cannot be reached', state: 'succeeded', ended: true }), []);
  });
});

describe('What is not known of a transfer', () => {
  const elsewhere = pageTransfer({
    startedElsewhere: true,
    askedFileCount: 0,
    status: { fileCount: 5, movedFileCount: 2 },
  });
  const texts = (given: PageTransfer): readonly string[] =>
    notesOf(given, 'active', formatFor('en')).map(({ text }) => text);

  it('is said of one that was started elsewhere, whose files only the server counts', () => {
    assert.deepEqual(texts(elsewhere), [
      'This transfer was started elsewhere. Its databases and files are not known here.',
    ]);
    assert.deepEqual(movementOf(elsewhere), { moved: 2, total: 5, share: 0.4 });
  });

  it('is settled where the person said that it did not start', () => {
    const replaced = pageTransfer({
      state: 'refused',
      ended: true,
      replacedBy: 'k2',
      problem: 'the connection was lost',
    });
    assert.deepEqual(texts(replaced), ['You said that this transfer did not start, and submitted another one.']);
  });
});
