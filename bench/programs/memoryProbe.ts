/** Requests a large response in a new process, and sends the increase in its peak memory (bytes) to the parent. */
import assert from 'node:assert/strict';
import { BareRequests, search } from '../support/bareRequests.ts';
import { connectedClient } from '../support/ends.ts';

const [subject = '', origin = ''] = process.argv.slice(2);

// Loads and connects both clients, even though only one is measured, so that only the request makes a difference.
const client = await connectedClient(origin);
const bare = new BareRequests(origin);
await bare.status();
globalThis.gc?.();
const startBytes = process.memoryUsage.rss();
const answer = subject === 'client' ? (await client.search(search)).value : await bare.search();
const peakBytes = process.resourceUsage().maxRSS * 1024;
assert.ok(answer);
process.send?.(peakBytes - startBytes);
client.dispose();
await bare.close();
process.disconnect();
