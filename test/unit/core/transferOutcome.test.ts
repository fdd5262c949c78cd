import assert from 'node:assert/strict';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { getOutcome, getProgress, type TransferOutcome } from '../../../src/core/model/transferOutcome.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { Rig, until } from './rig.ts';
import { running as specimen } from './specimens.ts';

const two = [
  { id: 'a', name: 'a' },
  { id: 'b', name: 'b' },
];

function transfer(more: Partial<Transfer>): Transfer {
  return { ...specimen, ...more, order: { ...specimen.order, files: more.startedElsewhere ? [] : two } };
}

type Row = readonly [what: string, transfer: Partial<Transfer>, outcome: TransferOutcome, progress: object];

describe('The outcome of a transfer (D39)', () => {
  const status = (fileCount?: number, movedFileCount?: number): Partial<Transfer> => ({
    state: 'succeeded',
    status: { ...(fileCount !== undefined && { fileCount }), ...(movedFileCount !== undefined && { movedFileCount }) },
  });
  const rows: readonly Row[] = [
    ['all files moved', status(2, 2), 'complete', { moved: 2, total: 2 }],
    ['a success without counts', status(), 'complete', { total: 2 }],
    ['a success without any file', status(0, 0), 'partial', { moved: 0, total: 2 }],
    ['a success that counts no files', status(0), 'partial', { moved: 0, total: 2 }],
    ['a success of fewer files than requested', status(1, 1), 'partial', { moved: 1, total: 2 }],
    ['a success of fewer files than counted', status(2, 1), 'partial', { moved: 1, total: 2 }],
    ['more files than requested', status(5, 5), 'complete', { moved: 5, total: 5 }],
    ['more files moved than there are', status(2, 9), 'complete', { moved: 2, total: 2 }],
    ['a failure during the transfer', { ...status(2, 1), state: 'failed' }, 'failed', { moved: 1, total: 2 }],
    ['a cancel', { ...status(1, 1), state: 'cancelled' }, 'cancelled', { moved: 1, total: 2 }],
    ['a refusal', { state: 'refused' }, 'refused', { total: 2 }],
    ['an expired record', { ...status(2, 1), state: 'expired' }, 'expired', { moved: 1, total: 2 }],
    [
      'nothing of a transfer that was started elsewhere',
      { ...status(0, 0), startedElsewhere: true },
      'partial',
      { moved: 0, total: 0 },
    ],
    [
      'all of one that was started elsewhere',
      { ...status(5, 5), startedElsewhere: true },
      'complete',
      { moved: 5, total: 5 },
    ],
    [
      'files of one that was started elsewhere, whose number is unknown',
      { ...status(undefined, 5), startedElsewhere: true },
      'complete',
      { moved: 5 },
    ],
    [
      'the last trusted counts, which stay with a doubtful status (D35)',
      { state: 'failed', status: { fileCount: 2, movedFileCount: 1, doubtful: true } },
      'failed',
      { moved: 1, total: 2 },
    ],
    [
      'counts that may be another transfer’s (D11)',
      { state: 'failed', status: { fileCount: 9, movedFileCount: 9, doubtful: true } },
      'failed',
      { total: 2 },
    ],
  ];
  for (const [what, more, outcome, progress] of rows) {
    it(`is ${outcome} for ${what}`, () => {
      assert.equal(getOutcome(transfer(more)), outcome);
      assert.deepEqual(getProgress(transfer(more)), progress);
    });
  }

  it('is undecided while a transfer runs, which has as many files as the server counts', () => {
    const running = transfer({ state: 'active', status: { fileCount: 1, movedFileCount: 0 } });
    assert.equal(getOutcome(running), undefined);
    assert.deepEqual(getProgress(running), { moved: 0, total: 1 });
    assert.deepEqual(getProgress(transfer({ state: 'active', status: { fileCount: -5, movedFileCount: 7 } })), {
      moved: 2,
      total: 2,
    });
  });
});

describe('A source that drops unknown files silently', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.end());

  it('ends a transfer as partial, with the moved and the requested files (D39)', async () => {
    const server = publicLike(rig.server, 'the-key');
    server.dropsUnknownFiles = true;
    await rig.connect();
    const { transferFlow, transferStore } = rig.explorer;
    const order = { ...rig.order, source: 'jdp', destination: 'kbase', files: two };
    const { key } = await transferFlow.submit(order);
    await until(transferStore.onDidChange, () => transferStore.get(key)?.state === 'succeeded');
    const ended = transferStore.get(key);
    assert.ok(ended);
    assert.equal(getOutcome(ended), 'partial');
    assert.deepEqual(getProgress(ended), { moved: 0, total: 2 });
  });
});
