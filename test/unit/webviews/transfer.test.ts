import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PageTransfer } from '../../../src/webviews/messages/transferMessages.ts';
import { createFormat } from '../../../src/webviews/shared/format.ts';
import {
  getChartRange,
  getElapsedMs,
  getProgressCounts,
  hasChart,
  listTimeline,
  toLinePath,
} from '../../../src/webviews/transfer/transferProgress.ts';
import { listTransferNotes } from '../../../src/webviews/transfer/transferNotes.ts';
import { pageTransfer, type GivenTransfer } from '../../support/pageTransfer.ts';

describe('The history of a transfer', () => {
  it('lists how long each state lasted, the current one until now', () => {
    const stretches = listTimeline(pageTransfer(), 20_000);
    assert.deepEqual(
      stretches.map(({ event, durationMs, isCurrent }) => [event, durationMs, isCurrent]),
      [
        ['submitting', 2000, false],
        ['staging', 6000, false],
        ['active', 11_000, true],
      ],
    );
  });

  it('gives a final state no duration', () => {
    const changes = [...pageTransfer().changes, { state: 'succeeded', at: 12_000 } as const];
    const ended = pageTransfer({ state: 'succeeded', ended: true, changes });
    assert.equal(listTimeline(ended, 99_000).at(-1)?.durationMs, undefined);
    assert.equal(getElapsedMs(ended, 99_000), 11_000);
  });

  it('omits the duration of the last known state of an expired transfer', () => {
    const changes = [...pageTransfer().changes, { state: 'expired', at: 12_000 } as const];
    const stretches = listTimeline(pageTransfer({ state: 'expired', ended: true, changes }), 99_000);
    assert.deepEqual(
      stretches.map(({ event, durationMs }) => [event, durationMs]),
      [
        ['submitting', 2000],
        ['staging', 6000],
        ['active', undefined],
        ['expired', undefined],
      ],
    );
  });

  it('lists an accepted cancellation at its time (D13: ignored cancel)', () => {
    const stretches = listTimeline(pageTransfer({ cancelAcceptedAt: 5000 }), 20_000);
    assert.deepEqual(
      stretches.map(({ event }) => event),
      ['submitting', 'staging', 'cancelAccepted', 'active'],
    );
  });

  it('has no negative durations after the clock was set back', () => {
    assert.equal(getElapsedMs(pageTransfer(), 500), 0);
    assert.equal(listTimeline(pageTransfer(), 500).at(-1)?.durationMs, 0);
  });
});

describe('The progress of a transfer', () => {
  const table: readonly (readonly [string, Partial<GivenTransfer>, object])[] = [
    ['the counts of the server', { status: { fileCount: 4, movedFileCount: 1 } }, { moved: 1, total: 4, share: 0.25 }],
    ['the requested number until the server counts', { status: {} }, { total: 4 }],
    ['at most all files', { status: { fileCount: 4, movedFileCount: 9 } }, { moved: 4, total: 4, share: 1 }],
    ['at least zero files', { status: { fileCount: 4, movedFileCount: -1 } }, { moved: 0, total: 4, share: 0 }],
    [
      'a different count of the server',
      { status: { fileCount: 1, movedFileCount: 1 } },
      { moved: 1, total: 1, share: 1, countedByServer: 1 },
    ],
    ['zero of zero files', { status: { fileCount: 0, movedFileCount: 0 } }, { moved: 0, total: 0, countedByServer: 0 }],
    [
      'zero files of a success that moved none',
      { state: 'succeeded', ended: true, status: { fileCount: 0, movedFileCount: 0 } },
      { moved: 0, total: 4, share: 0, countedByServer: 0 },
    ],
    [
      'no full bar for a success without files',
      { state: 'succeeded', ended: true, startedElsewhere: true, requestedFileCount: 0 },
      { total: 0 },
    ],
    [
      'the bytes while it is running',
      { status: { fileCount: 4, movedFileCount: 1, bytes: { total: 200, copied: 80 } } },
      { moved: 1, total: 4, share: 0.4, bytes: { total: 200, copied: 80 } },
    ],
    [
      'no full bar before all copies are verified',
      { status: { fileCount: 4, movedFileCount: 3, bytes: { total: 200, copied: 200 } } },
      { moved: 3, total: 4, share: 0.99, bytes: { total: 200, copied: 200 } },
    ],
    ['success without counts as complete', { state: 'succeeded', ended: true }, { total: 4, share: 1 }],
  ];
  for (const [what, changed, expected] of table)
    it(`shows ${what}`, () => assert.deepEqual(getProgressCounts(pageTransfer(changed)), expected));
});

describe('The line of files over time', () => {
  const series = [
    { at: 1000, moved: 0 },
    { at: 2000, moved: 1 },
    { at: 4000, moved: 4 },
  ];

  it('ranges from the submission until now, and from zero to all files', () => {
    assert.deepEqual(getChartRange(series, 8, 500, 5000), { from: 500, to: 5000, most: 8 });
  });

  it('extends its range for more files than requested and for times outside the range', () => {
    assert.deepEqual(getChartRange(series, 2, 3000, 3000), { from: 1000, to: 4000, most: 4 });
    assert.deepEqual(getChartRange([], 0, 7, 7), { from: 7, to: 8, most: 1 });
  });

  it('is drawn in steps: a count applies until the next one', () => {
    const path = toLinePath(series, { from: 0, to: 5000, most: 4 }, 100, 40);
    assert.equal(path, 'M20 40H40V30H80V0H100');
  });

  it('is not shown for a transfer that took only seconds', () => {
    const changes = [{ state: 'succeeded', at: 31_000 }] as const;
    const ended = pageTransfer({ state: 'succeeded', ended: true, movement: series, changes });
    assert.equal(hasChart(ended, 9_000_000), false);
    assert.equal(hasChart(pageTransfer({ movement: series }), 60_999), false);
    assert.equal(hasChart(pageTransfer({ movement: series }), 61_000), true);
    assert.equal(hasChart(pageTransfer({ movement: series.slice(0, 1) }), 61_000), false, 'one count is no line');
    assert.equal(hasChart(pageTransfer({ movement: series, status: { fileCount: 1 } }), 61_000), false, 'one file');
  });

  it('is empty without a count', () => {
    assert.equal(toLinePath([], { from: 0, to: 1, most: 1 }, 100, 40), '');
  });
});

describe('The notes of the transfer page', () => {
  const format = createFormat('en');
  const keys = (changed: Partial<GivenTransfer>): readonly string[] =>
    listTransferNotes(pageTransfer(changed), 'staging', format).map(({ key }) => key);

  it('are empty for a transfer without problems', () => {
    assert.deepEqual(keys({ status: { fileCount: 4, movedFileCount: 0 } }), []);
  });

  it('warn that a submission without a response may have been accepted (D12: never resubmit)', () => {
    assert.deepEqual(keys({ state: 'notConfirmed', problem: "the service didn't respond in time" }), [
      'state',
      'problem',
    ]);
  });

  it('show once why a transfer was refused', () => {
    const [note, ...others] = listTransferNotes(
      pageTransfer({ state: 'refused', ended: true, problem: 'no such file' }),
      '',
      format,
    );
    assert.equal(note?.text, 'The transfer was refused: no such file.');
    assert.deepEqual(others, []);
  });

  it('state that a transfer was not sent, instead of rejected, if nothing reached the server', () => {
    const problem = 'not connected to the service';
    const unsent = pageTransfer({ state: 'refused', ended: true, problem, problemKind: 'unsent' });
    assert.deepEqual(
      listTransferNotes(unsent, '', format).map(({ kind, text }) => [kind, text]),
      [['error', 'Not sent: not connected to the service.']],
    );
  });

  it('show a status request that waits for a submission as information (D34: serialized requests)', () => {
    const problem = 'waiting for a submission to this server to finish';
    assert.deepEqual(
      listTransferNotes(pageTransfer({ problem, problemKind: 'queued' }), '', format).map(({ kind, text }) => [
        kind,
        text,
      ]),
      [['info', 'Status update delayed: waiting for a submission to this server to finish.']],
    );
  });

  it('offer the remedy for a rejected sign-in (D44: classify sign-in failures)', () => {
    const problem = 'the service rejected the ORCID iD';
    const actions = (changed: Partial<GivenTransfer>): unknown =>
      listTransferNotes(pageTransfer({ problem, ...changed }), '', format)[0]?.actions;
    const [orcid, key] = ['Set ORCID iD…', 'Set API Key…'].map((label) => ({ intent: 'remedy', label }));
    assert.deepEqual(actions({ state: 'refused', ended: true, remedy: 'orcid' }), [orcid]);
    assert.deepEqual(actions({ remedy: 'key' }), [key]);
    assert.deepEqual(actions({}), []);
  });

  it('warn that the server ignores an accepted cancellation (D13: ignored cancel)', () => {
    const [note] = listTransferNotes(pageTransfer({ cancelAcceptedAt: 1, cancelUnheeded: true }), 'staging', format);
    assert.equal(note?.text, 'Cancellation accepted, but the server still reports staging.');
    assert.deepEqual(keys({ cancelAcceptedAt: 1, state: 'cancelled', ended: true }), []);
  });

  it('warn of a status that may belong to another transfer (D11: check status identity)', () => {
    assert.deepEqual(keys({ status: { fileCount: 9, doubtful: true } }), ['doubtful'], 'its counts are not compared');
  });

  it('warn when the server counts other files than requested', () => {
    assert.deepEqual(keys({ status: { fileCount: 1 } }), ['count']);
  });

  it('show how many files a successful transfer left out (D39: server data display)', () => {
    const [note, ...others] = listTransferNotes(
      pageTransfer({ state: 'succeeded', ended: true, status: { fileCount: 3, movedFileCount: 3 } }),
      'succeeded',
      format,
    );
    assert.match(note?.text ?? '', /^1 file wasn't transferred, although the service reported success\./);
    assert.equal(note?.kind, 'warning');
    assert.deepEqual(others, []);
  });

  it('explain that a paused transfer continues when the local service is started', () => {
    const [note] = listTransferNotes(pageTransfer({ paused: true }), 'active', format);
    assert.equal(note?.text, 'The local service is stopped. This transfer will resume when you start the service.');
  });

  it('state what a suspended transfer waits for (D67: archived objects)', () => {
    const text = (message?: string): string | undefined => {
      const status = { status: 'inactive', ...(message !== undefined && { message }) };
      return listTransferNotes(pageTransfer({ id: 'i', state: 'inactive', status }), 'inactive', format)[0]?.text;
    };
    assert.equal(
      text('Transfer i: waiting: the store is restoring 2 archived files, requested 2026-01-05 09:00 UTC'),
      'This transfer is waiting: the store is restoring 2 archived files, requested 2026-01-05 09:00 UTC',
    );
    assert.equal(text('Renew\u202e the login'), 'The server has suspended this transfer: Renew\uFFFD the login');
    assert.equal(text(','), 'The server has suspended this transfer.');
    assert.equal(text(), 'The server has suspended this transfer.');
  });

  it('explain a failed status update until the transfer ends', () => {
    assert.deepEqual(keys({ problem: "the service can't be reached" }), ['problem']);
    assert.deepEqual(keys({ problem: "the service can't be reached", state: 'succeeded', ended: true }), []);
  });
});

describe('The notes about unknown facts', () => {
  const elsewhere = pageTransfer({
    startedElsewhere: true,
    requestedFileCount: 0,
    status: { fileCount: 5, movedFileCount: 2 },
  });
  const texts = (given: PageTransfer): readonly string[] =>
    listTransferNotes(given, 'active', createFormat('en')).map(({ text }) => text);

  it('explain that a transfer was started elsewhere, and show only the counts of the server', () => {
    assert.deepEqual(texts(elsewhere), [
      "This transfer was started elsewhere. Its databases and files aren't known here.",
    ]);
    assert.deepEqual(getProgressCounts(elsewhere), { moved: 2, total: 5, share: 0.4 });
  });

  it('omit the error of a transfer that was marked as not started', () => {
    const replaced = pageTransfer({
      state: 'refused',
      ended: true,
      replacedBy: 'k2',
      problem: 'the connection was lost',
    });
    assert.deepEqual(texts(replaced), ['You marked this transfer as not started and submitted it again.']);
  });
});
