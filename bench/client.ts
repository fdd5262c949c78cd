/** Compares the client with bare undici and JSON.parse: a large search, many status requests, many IDs. */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { BareRequests, search, statusId } from './support/bareRequests.ts';
import { connectedClient, measurePeakIncrease, startServer } from './support/ends.ts';
import { numberedIds } from './support/resources.ts';
import { createReport, measureCleanTime, measureRatio, measureTime, type Comparison } from './support/rounds.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const report = createReport('client', values);
const server = await startServer();
const client = await connectedClient(server.origin);
const bare = new BareRequests(server.origin);

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done++) await work();
}

async function fetch(ids: readonly string[]): Promise<void> {
  const { value } = await client.fetchMetadata({ ...search, ids });
  assert.equal(value.length, ids.length);
}

const searching: Comparison = {
  ours: async () =>
    await measureCleanTime(async () => {
      assert.equal((await client.search(search)).value.length, 10_000);
    }),
  reference: async () => await measureCleanTime(async () => await bare.search()),
  turns: 5,
};

const remembering: Comparison = {
  ours: async () => await measurePeakIncrease('client', server.origin),
  reference: async () => await measurePeakIncrease('bare', server.origin),
  turns: 1,
};

const polling: Comparison = {
  ours: async () => await measureTime(async () => await client.transferStatus(statusId)),
  reference: async () => await measureTime(async () => await bare.status()),
  turns: 5_000,
};

const many = numberedIds(20_000);
const few = many.slice(0, 2_000);
const describing: Comparison = {
  ours: async () => await measureCleanTime(async () => await fetch(many)),
  reference: async () => await measureCleanTime(async () => await times(10, async () => await fetch(few))),
  turns: 2,
};

const describingBare: Comparison = {
  ours: describing.ours,
  reference: async () =>
    await measureCleanTime(async () => {
      assert.equal((await bare.describe(many)).length, many.length);
    }),
  turns: 2,
};

try {
  report('search of 10,000 files / bare undici and JSON.parse', await measureRatio(searching));
  report('search of 10,000 files, peak memory / bare undici and JSON.parse', await measureRatio(remembering));
  report('5,000 status requests / bare undici', await measureRatio(polling));
  report('metadata of 20,000 IDs / ten times that of 2,000', await measureRatio(describing));
  report('metadata of 20,000 IDs / bare undici', await measureRatio(describingBare));
} finally {
  client.dispose();
  await bare.close();
  await server.end();
}
