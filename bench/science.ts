/** Compares citing 10,000 and exporting 100,000 files with JSON.stringify, and matching IDs with bare requests. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listCitations } from '../src/core/citations/citableUnits.ts';
import { writeCitations } from '../src/core/citations/citationFormats.ts';
import { readFoundPage } from '../src/core/client/responseReaders.ts';
import { DataTransferClient } from '../src/core/client/dataTransferClient.ts';
import { TableMatchFlow } from '../src/core/search/tableMatchFlow.ts';
import { exportFiles } from '../src/core/model/fileExport.ts';
import type { FileEntry } from '../src/core/model/fileEntry.ts';
import { UnsafeIds } from '../src/core/search/metadataFlow.ts';
import { builtProgram, startLocalService, type StartedService } from '../test/support/localService.ts';
import { waitForScans } from '../test/support/waitForScans.ts';
import { MemoryLog } from '../test/support/memoryLog.ts';
import { numberedResources } from './support/resources.ts';
import { createReport, measureCleanTime, measureRatio, say } from './support/rounds.ts';
import { makeTree, scratchFolder } from './support/tree.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});
const fileCount = values.quick ? 100_000 : 1_000_000;
const idCount = fileCount / 10;
const batchSize = 500;
const pageSize = 5_000;
const database = 'Tree';
const orcid = '0000-0002-1825-0097';
const report = createReport('science', values);

async function measureCitations(): Promise<void> {
  const resources = numberedResources(10_000);
  const { files: found } = readFoundPage({ resources }, database, false);
  const files = found.flatMap((file) => (file.kind === 'file' ? [file] : []));
  const texts = { message: 'Please cite these data.', title: 'Data', unknownAuthor: 'anonymous' };
  const ratio = await measureRatio({
    ours: async () =>
      await measureCleanTime(async () => await Promise.resolve(writeCitations('bibtex', listCitations(files), texts))),
    reference: async () => await measureCleanTime(async () => await Promise.resolve(JSON.stringify(resources))),
    turns: 4,
  });
  report('citing 10,000 files / JSON.stringify', ratio);
}

async function measureExport(): Promise<void> {
  const resources = numberedResources(100_000);
  const { files: found } = readFoundPage({ resources }, database, false);
  const files = found.flatMap((file) => (file.kind === 'file' ? [file] : []));
  const ratio = await measureRatio({
    ours: async () => await measureCleanTime(async () => await Promise.resolve(measureRows(files))),
    reference: async () => await measureCleanTime(async () => await Promise.resolve(JSON.stringify(resources))),
    turns: 2,
  });
  report('export of 100,000 rows / JSON.stringify', ratio);
}

/** Formats the rows; returns their length in characters. */
function measureRows(files: readonly FileEntry[]): number {
  let length = 0;
  for (const row of exportFiles(files, ',')) length += row.length;
  return length;
}

/** Sends a request to the service without the client, and resolves to the files in the response. */
async function post(service: StartedService, path: string, body: object): Promise<readonly { readonly id: string }[]> {
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const response = await fetch(`${service.address}/api/v1/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ database, orcid, ...body }),
  });
  assert.equal(response.status, 200);
  return (JSON.parse(await response.text()) as { readonly resources: readonly { readonly id: string }[] }).resources;
}

async function listIds(service: StartedService): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < idCount) {
    const page = await post(service, 'files', { query: '', offset: ids.length, limit: pageSize });
    ids.push(...page.map(({ id }) => id));
  }
  return ids;
}

async function requestBare(service: StartedService, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = ids.slice(start, start + batchSize);
    assert.equal((await post(service, 'files/by-id', { file_ids: batch })).length, batch.length);
  }
}

async function measureMatch(service: StartedService): Promise<void> {
  const ids = await listIds(service);
  const client = new DataTransferClient({ log: new MemoryLog() });
  await client.connect({ server: service.address, apiKey: service.token, scheme: 'plain' });
  const flow = new TableMatchFlow({ unsafeIds: new UnsafeIds(), getOrcid: () => orcid });
  const info = { address: service.address, name: 'Local', version: '1', hasFullPages: true };
  const session = { connection: { id: 'c', name: 'Local', server: service.address }, service: info, client };
  const { signal } = new AbortController();
  const match = async (): Promise<void> => {
    const request = { database, key: 'id', values: ids } as const;
    const index = await flow.match(session, request, { signal, onProgress: () => undefined });
    assert.equal(index.values.filter((id) => index.get(id)?.count === 1).length, ids.length);
  };
  const ratio = await measureRatio({
    ours: async () => await measureCleanTime(match),
    reference: async () => await measureCleanTime(async () => await requestBare(service, ids)),
    turns: 1,
  });
  client.dispose();
  report('match of 100,000 IDs in 1,000,000 files / bare requests', ratio);
}

await measureCitations();
await measureExport();
say(`creating a tree of ${fileCount} files`);
const tree = join(scratchFolder(), 'tree');
makeTree(tree, fileCount);
const service = await startLocalService({ databases: [{ name: database, folder: tree }] }, { program: builtProgram });
try {
  await waitForScans(service);
  await measureMatch(service);
} finally {
  await service.stop();
}
