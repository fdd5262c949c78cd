/** Compares the client with bare undici and JSON.parse: a large search, many status requests, many IDs. */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { BareRequests, search, statusId } from './support/bareRequests.ts';
import { connectedClient, measurePeakIncrease, startServer } from './support/ends.ts';
import { numberedIds } from './support/resources.ts';
import { measureCleanTime, measureRatio, report, measureTime } from './support/rounds.ts';
import type { Comparison, Measure } from './support/rounds.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
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

const contests: readonly (Omit<Measure, 'ratio'> & { readonly contest: Comparison })[] = [
  { name: 'search of 10,000 files: time', limit: 1.5, contest: searching },
  { name: 'search of 10,000 files: peak memory', limit: 2, contest: remembering },
  { name: '5,000 status requests: time', limit: 1.1, contest: polling },
  { name: '20,000 IDs: time relative to ten times 2,000', limit: 1.2, contest: describing },
  { name: '20,000 IDs: time relative to undici', limit: 1.5, contest: describingBare },
];

try {
  for (const { name, limit, contest } of contests) {
    const isOk = report({ name, limit, ratio: await measureRatio(contest) }, values.json);
    if (!isOk) process.exitCode = 1;
  }
} finally {
  client.dispose();
  await bare.close();
  await server.end();
}
