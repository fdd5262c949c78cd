import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Uri } from 'vscode';
import type { Transfer } from '../../src/core/model/transferModel.ts';
import { until } from '../unit/core/rig.ts';
import type { Stage } from './stage.ts';

/** Transfers three sample files with the local service. Resolves to the transfer when it has ended. */
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

/** Returns the folder to which the local service wrote the files of a transfer. */
export function getReceivedFolder(stage: Stage, { id }: Transfer): string {
  return join(Uri.joinPath(stage.parts.context.globalStorageUri, 'received').fsPath, `dts-${id ?? ''}`);
}
