import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Uri } from 'vscode';
import type { Transfer } from '../../src/core/model/transferModel.ts';
import { until } from '../unit/core/rig.ts';
import type { Stage } from './stage.ts';

/** Transfers three samples through the local service; resolves when that has ended. */
export async function transferSamples(stage: Stage): Promise<Transfer> {
  await stage.run('dataTransfer.startLocalService');
  await stage.search('Sample Data', 'observations');
  await stage.transferAll('Received Files');
  const { transferStore } = stage.parts;
  await until(transferStore.onDidChange, () => transferStore.getRunning().length === 0);
  await stage.person.notice(/^Transferred 3 files/);
  const [transfer] = transferStore.getFinished();
  assert.ok(transfer);
  return transfer;
}

/** Returns the folder in which the local service has put the files of a transfer. */
export function getReceivedFolder(stage: Stage, { id }: Transfer): string {
  return join(Uri.joinPath(stage.parts.context.globalStorageUri, 'received').fsPath, `dts-${id ?? ''}`);
}
