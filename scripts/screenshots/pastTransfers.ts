import { mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatRecord } from '../../src/core/transfers/recordFiles.ts';
import type { Transfer, TransferState } from '../../src/core/model/transferModel.ts';
import { getEditorDataHome, getLedgerIn } from '../../test/support/dataHome.ts';
import { toId } from './screenshotService.ts';
import type { Stage } from './stage.ts';

const hourMs = 3_600_000;

/** Transfers of the last two weeks: hours since the transfer ended, number of files, destination and outcome. */
const past: readonly (readonly [number, number, string, TransferState])[] = [
  [0.2, 12, 'Lab Share', 'succeeded'],
  [0.9, 12, 'Lab Share', 'succeeded'],
  [1.5, 3, 'Cluster', 'failed'],
  [2.1, 1200, 'Archive', 'succeeded'],
  [2.8, 8, 'Scratch', 'cancelled'],
  [3.4, 1, 'Partner Site', 'succeeded'],
  [4.1, 5, 'Cluster', 'expired'],
  [26, 60, 'Cluster', 'succeeded'],
  [27, 2, 'Teaching', 'failed'],
  [52, 7, 'Backup', 'succeeded'],
  [240, 4, 'Lab Share', 'succeeded'],
  [336, 9, 'Archive', 'succeeded'],
];

/**
 * Writes the records of past transfers. Writes each file elsewhere and then moves it into the folder, because an open
 * window watches the folder.
 */
export async function writePastTransfers({ editor, clock }: Stage): Promise<void> {
  const folder = join(getLedgerIn(getEditorDataHome(editor.dataFolder)), 'ended');
  await mkdir(folder, { recursive: true });
  for (const [index, [hours, ...rest]] of past.entries()) {
    const transfer = createTransfer(index, clock.now - hours * hourMs, ...rest);
    const unfinished = join(folder, '..', '..', `${transfer.key}.new`);
    await writeFile(unfinished, formatRecord(transfer));
    await utimes(unfinished, transfer.createdAt / 1000, transfer.createdAt / 1000);
    await rename(unfinished, join(folder, `${transfer.key}.json`));
  }
}

function createTransfer(index: number, at: number, count: number, destination: string, state: TransferState): Transfer {
  const key = `c0de0000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const files = Array.from({ length: count }, (_, number) => ({ id: `OBS:${number}`, name: `run-${number}.fits` }));
  const connection = { connectionId: toId('Research Data Service'), orcid: '0000-0002-1825-0097' };
  const order = { ...connection, source: 'Observatory Archive', destination, files };
  return { key, id: key, order, createdAt: at - 600_000, state, changes: [{ state, at }], askedAt: at };
}
