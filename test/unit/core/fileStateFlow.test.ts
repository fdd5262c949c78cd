import assert from 'node:assert/strict';
import type { FileOverview } from '../../../src/core/transfers/fileStateFlow.ts';
import { untransferredStates } from '../../../src/core/model/fileProgress.ts';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { describeFileCounts, describeFileProblem, describeFileState } from '../../../src/core/words/fileStateWords.ts';
import { chooseBehavior, json, problem, text } from '../../support/faultBehaviors.ts';
import { english } from '../../../src/cli/text/sentences.ts';
import { Rig } from './rig.ts';

const id = '0b9f3a51-6a3c-4a55-8f0e-3f2a8d1c7e11';
const route = `GET /transfers/${id}/files`;

interface FileDocument {
  readonly position: number;
  readonly state: string;
}

describe('Finding out which files of a transfer arrived (D71)', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    await rig.connect();
  });
  afterEach(() => rig.end());

  const transfer = (fileCount: number, more: Partial<Transfer> = {}): Transfer => {
    const files = Array.from({ length: fileCount }, (_, index) => ({ id: `f${index}`, name: `f${index}` }));
    return { key: 'k', id, order: { ...rig.order, files }, createdAt: 1, state: 'failed', changes: [], ...more };
  };

  /** Serves the states of files by position, in pages of at most `pageSize`. */
  const serve = (states: readonly string[], pageSize = 1000): void => {
    const counts: Record<string, number> = {};
    for (const state of states) counts[state] = (counts[state] ?? 0) + 1;
    const files: readonly FileDocument[] = states.map((state, position) => ({
      position,
      state,
      id: `f${position}`,
      path: `f${position}`,
    }));
    rig.server.on(
      route,
      chooseBehavior(({ url }) => {
        const query = new URL(url, 'http://x').searchParams;
        const limit = Math.min(pageSize, Number(query.get('limit') ?? pageSize));
        const wanted = files.filter(
          ({ position, state }) =>
            (query.get('state') ?? state) === state && position >= Number(query.get('cursor') ?? 0),
        );
        const [page, next] = [wanted.slice(0, limit), wanted[limit]];
        return json({ files: page, counts, ...(next && { cursor: String(next.position) }) });
      }),
    );
  };

  const listOverview = async (of: Transfer, limit: number): Promise<unknown> => {
    const overview: FileOverview | undefined = await rig.explorer.fileStateFlow.getOverview(
      of,
      limit,
      untransferredStates,
    );
    return overview && [overview.files.map(({ position, state }) => `${position} ${state}`), overview.counts];
  };

  it('lists those that failed first, then those being transferred and waiting, up to a limit', async () => {
    serve(['waiting', 'transferred', 'failed', 'transferring', 'waiting', 'failed']);
    const counts = { failed: 2, transferring: 1, waiting: 2, transferred: 1 };
    const running = transfer(6, { state: 'active' });
    assert.deepEqual(await listOverview(running, 4), [['2 failed', '5 failed', '3 transferring', '0 waiting'], counts]);
    assert.deepEqual(await listOverview(running, 1), [['2 failed'], counts]);
    assert.equal(rig.server.requestsTo(route).length, 4);
  });

  it('lists more files than one response may contain', async () => {
    serve(Array<string>(10_001).fill('failed'), 10_000);
    const overview = await rig.explorer.fileStateFlow.getOverview(transfer(10_001), 20_000);
    assert.equal(overview?.files.length, 10_001);
    const limits = rig.server.requestsTo(route).map(({ url }) => new URL(url, 'http://x').searchParams.get('limit'));
    assert.deepEqual(limits, ['10000', '10000']);
  });

  it('requests no more of 10,000 failed files than are listed', async () => {
    serve(Array<string>(10_000).fill('failed'));
    const overview = await rig.explorer.fileStateFlow.getOverview(transfer(10_000), 10);
    assert.deepEqual([overview?.files.length, overview?.counts], [10, { failed: 10_000 }]);
    assert.deepEqual(
      rig.server.requestsTo(route).map(({ url }) => url.split('?')[1]),
      ['state=failed&limit=10'],
    );
  });

  it('finds the requested files that were not transferred, in all pages and in the order of the request', async () => {
    serve(['unfinished', 'transferred', 'failed', 'unfinished', 'transferred', 'unfinished'], 2);
    const found = await rig.explorer.fileStateFlow.findUntransferred(transfer(6));
    assert.deepEqual(
      found?.map((file) => file.id),
      ['f0', 'f2', 'f3', 'f5'],
    );
  });

  it('finds none if none or all were transferred, or if the order is not known', async () => {
    const { fileStateFlow } = rig.explorer;
    serve(['unfinished', 'failed']);
    assert.equal(await fileStateFlow.findUntransferred(transfer(2)), undefined);
    serve(['transferred', 'failed']);
    const others = [{ state: 'succeeded' }, { state: 'active' }, { startedElsewhere: true }] as const;
    for (const other of others) assert.equal(await fileStateFlow.findUntransferred(transfer(2, other)), undefined);
    assert.equal(rig.server.requestsTo(route).length, 1);
  });

  it('finds nothing if a page is missing, or the service lacks the route', async () => {
    const { fileStateFlow } = rig.explorer;
    const page = {
      files: [{ position: 1, id: 'f1', path: 'f1', state: 'failed' }],
      counts: { failed: 2, transferred: 1 },
    };
    rig.server.on(route, json({ ...page, cursor: '2' }), problem(403, 'no'));
    assert.equal(await fileStateFlow.findUntransferred(transfer(3)), undefined);
    rig.server.on(route, text(404, '404 page not found'));
    assert.equal(await fileStateFlow.getOverview(transfer(3), 10), undefined);
    assert.equal(await fileStateFlow.findUntransferred(transfer(3)), undefined);
    assert.equal(rig.server.requestsTo(route).length, 3);
  });

  it('says plainly how many failed, were not begun, and arrived', () => {
    const wording = { l10n: english, formatNumber: String };
    const words = describeFileCounts(wording, { transferred: 12, unfinished: 37, failed: 1 });
    assert.equal(words, '1 failed to arrive, 37 not begun or stopped, 12 arrived');
    const file = { position: 0, id: 'a', path: 'a', state: 'staged', problem: 'could not read it: x' } as const;
    assert.equal(describeFileState(english, file), 'waiting for another attempt');
    assert.equal(describeFileProblem(wording, { ...file, failedAttempts: 3 }), `${file.problem} (failed attempts: 3)`);
    assert.equal(describeFileProblem(wording, { ...file, failedAttempts: 1 }), file.problem);
  });
});
