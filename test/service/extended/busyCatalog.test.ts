import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { settlesWithin, systemClock } from '../../../src/core/util/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { waitForScans } from '../../support/waitForScans.ts';

const slowSearches = nodePath.join(import.meta.dirname, '../../support/slowSearches.cjs');
const clientCount = 60;
const stoppingLine = /Stopping took too long, perhaps because of a long search or a disk that hangs\./;
/** Much less than the time of a search that never ends, and much more than any response takes. */
const responseLimitMs = 60_000;

interface SearchAnswer {
  readonly status: number;
  readonly detail?: string;
}

describe('A service whose catalog thread is busy (D42)', () => {
  let root: string;
  let service: StartedService;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-busy-'));
    await fs.mkdir(nodePath.join(root, 'source'));
    await fs.writeFile(nodePath.join(root, 'source', 'a.txt'), 'a');
  });

  afterEach(async () => {
    await service.kill();
    await fs.rm(root, { recursive: true });
  });

  async function start(searchMs: number): Promise<void> {
    const environment = { NODE_OPTIONS: `--require ${slowSearches}`, SLOW_SEARCH_MS: String(searchMs) };
    const databases = [{ name: 'Source', folder: nodePath.join(root, 'source') }];
    service = await startLocalService({ databases, dataFolder: nodePath.join(root, 'data') }, { environment });
  }

  async function get(path: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${service.token}` };
    return await (await fetch(`${service.address}${path}`, { headers })).json();
  }

  async function search(): Promise<SearchAnswer> {
    const response = await fetch(`${service.address}/api/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ database: 'Source', orcid: '0000-0002-1825-0097', query: '' }),
    });
    const { detail } = (await response.json()) as { detail?: string };
    return { status: response.status, ...(detail !== undefined && { detail }) };
  }

  /** Starts a search that never ends, and waits until it blocks the thread. */
  async function blockThread(): Promise<void> {
    search().catch(() => undefined);
    await eventually(async () => await Promise.resolve(service.log().includes('searching') ? true : undefined));
  }

  it('stops in time and cleanly: searches that have not started are refused with 503', async () => {
    await start(300);
    await waitForScans(service);
    const answers = Array.from({ length: clientCount }, search);
    assert.equal((await Promise.race(answers)).status, 200);
    // Connections are accepted in their order: the service has the searches when it answers a later request. Otherwise,
    // the system would reset those that wait to be accepted.
    await get('/');
    assert.equal(await service.stop(), 0);
    assert.doesNotMatch(service.log(), /Stopping took too long|A request failed/);
    const refused = (await Promise.all(answers)).filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0);
    const problem: SearchAnswer = { status: 503, detail: 'The database Source is closing. Try again later.' };
    assert.deepEqual(refused, Array(refused.length).fill(problem));
  });

  it('is killed if a single search takes too long, and logs that this may be the cause', async () => {
    await start(600_000);
    await blockThread();
    assert.equal(await service.stop(), null);
    assert.match(service.log(), stoppingLine);
  });

  it('lists its databases without the state of their listings', async () => {
    await start(600_000);
    const database = await eventually(async () => {
      const document = (await get('/api/v1/databases/Source')) as object;
      return 'listing' in document ? undefined : document;
    });
    await blockThread();
    const answers = Promise.all([get('/api/v1/databases'), get('/api/v1/databases/Source')]);
    assert.ok(await settlesWithin(systemClock, responseLimitMs, answers), 'they wait for the thread');
    assert.deepEqual(await answers, [[database], database]);
  });
});
