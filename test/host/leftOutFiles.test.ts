import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'vscode';
import type { Transfer } from '../../src/core/model/transferModel.ts';
import { locateTransferredFiles } from '../../src/extension/features/verification/transferredFolders.ts';
import { findPlace } from '../../src/extension/features/transfers/transferPanel.ts';
import { getReceivedFolder, transferSamples } from './receivedSamples.ts';
import { Stage } from './stage.ts';

describe('A transfer that left out files', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithService();
  });
  afterEach(() => stage.close());

  /** Transfers three files and then removes one from the manifest and from the reported status. */
  const transferWithoutOne = async (): Promise<Transfer> => {
    const transfer = await transferSamples(stage);
    const path = join(getReceivedFolder(stage, transfer), 'manifest.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as { resources: readonly { readonly path: string }[] };
    const resources = manifest.resources.filter((resource) => resource.path !== 'observations-2023.csv');
    await writeFile(path, JSON.stringify({ ...manifest, resources }));
    const partial = { ...transfer, status: { ...transfer.status, fileCount: 3, movedFileCount: 2 } };
    stage.parts.transferStore.put([partial]);
    return partial;
  };

  it('is described with their names on its page and in the data availability statement', async () => {
    const transfer = await transferWithoutOne();
    const place = await findPlace(transfer, Date.now(), {
      locateFiles: (one) => locateTransferredFiles(stage.parts, one),
      verificationHistory: stage.parts.verificationHistory,
    });
    assert.equal(place?.missing, 'Not transferred: observations-2023.csv');
    await env.clipboard.writeText('');
    await stage.run('dataTransfer.copyAvailabilityStatement', { kind: 'transfer', key: transfer.key });
    const sentence =
      '2 of 3 requested files were obtained through a local data transfer service. Not transferred: observations-2023.csv.';
    assert.ok((await env.clipboard.readText()).includes(sentence), await env.clipboard.readText());
  });
});
