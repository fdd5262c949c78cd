import assert from 'node:assert/strict';
import { describeProgress, toTransferDocument, transferColumns } from '../../../src/cli/text/transferText.ts';
import { describeReason } from '../../../src/cli/text/sentences.ts';
import { toTransferAnswer } from '../../../src/core/agents/transferTools.ts';
import { readStatus } from '../../../src/core/client/responseReaders.ts';
import {
  getLastProgressAt,
  toTrustedStatus,
  type Transfer,
  type TransferBytes,
} from '../../../src/core/model/transferModel.ts';
import { getProgress, getShare, getTellingBytes } from '../../../src/core/model/transferOutcome.ts';
import { estimateRemaining } from '../../../src/core/transfers/estimates.ts';
import { applyReply, emptyHistory } from '../../../src/core/transfers/statusUpdates.ts';
import { formatByteProgress } from '../../../src/core/util/displayLimits.ts';
import { running } from './specimens.ts';

const [minute, hour] = [60_000, 3_600_000];
const total = 200e9;

/** Returns a running transfer of one large file. */
function createLarge(bytes: Partial<TransferBytes>, more: Partial<Transfer> = {}): Transfer {
  const status = { status: 'active', fileCount: 1, movedFileCount: 0, bytes: { total, copied: 0, ...bytes } };
  const order = { ...running.order, files: [{ id: 'a', name: 'a' }] };
  return { ...running, order, createdAt: 0, state: 'active', changes: [{ state: 'active', at: 0 }], status, ...more };
}

/** Applies one status for each time in milliseconds. */
function applyBytes(start: Transfer, bytes: readonly [at: number, Partial<TransferBytes>][]): Transfer {
  return bytes.reduce((transfer, [at, counts]) => {
    const value = { ...transfer.status, bytes: { total, copied: 0, ...counts } };
    return applyReply(transfer, emptyHistory, { value }, at)[0];
  }, start);
}

describe('The bytes of a status (§2.4)', () => {
  const document = { status: 'active', num_files: 1, num_files_transferred: 0 };

  it('are read if the service reports them', () => {
    const bytes = { num_bytes: 10, num_bytes_staged: 10, num_bytes_transferred: 4, num_bytes_verified: 3 };
    assert.deepEqual(readStatus({ ...document, ...bytes }).bytes, { total: 10, staged: 10, copied: 4, verified: 3 });
    assert.deepEqual(readStatus({ ...document, num_bytes: 10, num_bytes_transferred: 4 }).bytes, {
      total: 10,
      copied: 4,
    });
  });

  it('are absent on the public server, and without effect if they are invalid (D15)', () => {
    const known = { status: 'active', fileCount: 1, movedFileCount: 0 };
    assert.deepEqual(readStatus(document), known);
    for (const bytes of [{ num_bytes: 'many' }, { num_bytes: 1, num_bytes_transferred: 2 }, { num_bytes: -1 }])
      assert.deepEqual(readStatus({ ...document, ...bytes }), known);
  });

  it('are replaced like the other counts in a doubtful status (D35)', () => {
    const [foreign, own] = [
      { total: 9, copied: 9 },
      { total: 10, copied: 4 },
    ];
    assert.deepEqual(toTrustedStatus({ doubtful: true, bytes: foreign }, { bytes: own }).bytes, own);
    assert.equal('bytes' in toTrustedStatus({ doubtful: true, bytes: foreign }), false);
  });

  it('are part of the progress until the transfer ends', () => {
    const transfer = createLarge({ copied: 4 });
    assert.deepEqual(getProgress(transfer).bytes, { total, copied: 4 });
    assert.equal(getProgress({ ...transfer, state: 'failed' }).bytes, undefined);
  });
});

describe('Movement inside a file', () => {
  it('is progress, whether bytes are staged, copied or verified', () => {
    const start = createLarge({});
    for (const bytes of [{ staged: 5 }, { copied: 5 }, { verified: 5 }]) {
      const moved = applyBytes(start, [
        [minute, {}],
        [2 * hour, bytes],
      ]);
      assert.equal(getLastProgressAt(moved), 2 * hour);
      assert.notEqual(estimateRemaining(moved, [], 2 * hour)?.kind, 'stalled');
    }
    const still = applyBytes(start, [
      [minute, {}],
      [2 * hour, {}],
    ]);
    assert.equal(estimateRemaining(still, [], 2 * hour)?.kind, 'stalled');
  });

  it('is the basis of the estimate, without the time of staging', () => {
    const staging = createLarge({}, { state: 'staging', changes: [{ state: 'staging', at: 0 }] });
    const staged = { ...staging, status: { ...staging.status, status: 'staging' } };
    const hashed = applyBytes(staged, [
      [10 * minute, { staged: 1e9 }],
      [60 * minute, { staged: total }],
    ]);
    assert.equal(estimateRemaining(hashed, [], 60 * minute), undefined);
    const active = applyBytes({ ...hashed, status: { ...hashed.status, status: 'active' } }, [
      [61 * minute, { staged: total }],
      [63 * minute, { staged: total, copied: 40e9 }],
      [65 * minute, { staged: total, copied: 80e9 }],
    ]);
    assert.deepEqual(estimateRemaining(active, [], 65 * minute), {
      kind: 'range',
      lowMs: 6 * minute,
      highMs: 6 * minute,
      basis: 'bytes',
    });
  });
});

describe('The progress in bytes', () => {
  it('has one unit, and never shows a total before it is reached', () => {
    const format = (copied: number, of: number): string => formatByteProgress(copied, of, 'en').join(' of ');
    assert.equal(format(1.27e9, total), '1.2 of 200 GB');
    assert.equal(format(80e9, total), '80 of 200 GB');
    assert.equal(format(199.99e9, total), '199 of 200 GB');
    assert.equal(format(total, total), '200 of 200 GB');
    assert.equal(format(0.345e12, 2.4e12), '0.34 of 2.4 TB');
    assert.equal(format(0, 999), '0 of 999 bytes');
    assert.deepEqual(formatByteProgress(1.27e9, total, 'fr'), ['1,2', '200\u202fGo']);
  });

  it('tells more than the count of files if these are large', () => {
    const files = (fileCount: number, bytes: number): unknown =>
      getTellingBytes(createLarge({ total: bytes }, { status: { fileCount, bytes: { total: bytes, copied: 0 } } }));
    assert.deepEqual(files(1, total), { done: 0, total });
    assert.deepEqual([files(1, 5e6), files(100_000, 1e9)], [undefined, undefined]);
  });

  it('is the share of running transfers, if all of them report it, and is complete only with all files', () => {
    const half = createLarge({ copied: total / 2 });
    assert.equal(getShare([half].map(getProgress)), 0.5);
    assert.equal(getShare([createLarge({ copied: total })].map(getProgress)), 0.99);
    assert.equal(getShare([half, { ...half, status: { fileCount: 3, movedFileCount: 3 } }].map(getProgress)), 0.75);
    assert.equal(getShare([{}]), undefined);
  });

  it('is on the command line and for agents, in additional fields', () => {
    const transfer = createLarge({ copied: 1.27e9, verified: 1e9, staged: total });
    assert.equal(describeProgress(transfer), 'active, 0/1 files, 1.2 of 200 GB');
    assert.equal(transferColumns[2]?.getText(transfer), '0/1, 1.2 of 200 GB');
    const counts = { bytes: total, transferredBytes: 1.27e9, verifiedBytes: 1e9, stagedBytes: total };
    for (const document of [toTransferDocument(transfer), toTransferAnswer(transfer, describeReason)])
      assert.deepEqual({ ...document, ...counts }, document);
    const staging = createLarge({ staged: 80e9 }, { state: 'staging' });
    assert.equal(describeProgress(staging), 'staging, 0/1 files, 80 of 200 GB');
    const files = { status: { fileCount: 1, movedFileCount: 0 } };
    assert.equal('bytes' in JSON.parse(JSON.stringify(toTransferDocument({ ...transfer, ...files }))), false);
    assert.equal('bytes' in toTransferAnswer({ ...transfer, ...files }, describeReason), false);
  });
});
