import assert from 'node:assert/strict';
import { namesOtherRequest } from '../../../src/core/model/foreignResponse.ts';
import { dropBeforeAnswer, json, plainProblem, problem, silence } from '../../support/faultBehaviors.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { fault } from '../../support/tally.ts';
import { startBench } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { transferId } from './contractCalls.ts';

const route = 'POST /api/v1/transfers';
const statusRoute = 'GET /api/v1/transfers/*';
const orcid = '0000-0002-1825-0097';
const listed = [
  { id: 'jdp', name: 'JGI Data Portal', organization: '', url: '' },
  { id: 'kbase', name: 'KBase', organization: '', url: '' },
  { id: 'nmdc', name: 'NMDC', organization: '', url: '' },
];
const facts = { orcid, databases: ['JGI Data Portal', 'KBase'], fileIds: ['JDP:1a', 'JDP:2b'], listed };
const otherId = '99999999-9999-4999-8999-999999999999';

describe('Responses that belong to another request (D35)', () => {
  describe('a refusal of a submission', () => {
    const foreign: readonly string[] = [
      "The following resources in database 'JDP' were not found: JDP:3c, JDP:4d",
      'unexpected error occurred; the file JDP:3c has no checksum',
      'no checksum for JDP:3c.',
      "The database 'neon' was not found",
      "Invalid search parameter for database 'NMDC': f",
      'Destination database not found: Neon Data',
      "invalid ORCID '0000-0001-5109-3700'",
      `transfer not found: ${otherId}`,
      `cannot cancel transfer ${otherId}: invalid Orcid`,
      'files not found: x/y.csv',
    ];
    for (const text of foreign) {
      it(`is another request's if it says: ${text}`, () => assert.equal(namesOtherRequest(text, facts), true));
    }

    const own: readonly string[] = [
      '',
      'no room',
      'requested transfer includes no file IDs',
      "The following resources in database 'JDP' were not found: JDP:1a",
      "The following resources in database 'JDP' were not found: jdp:2B",
      "The database 'kbase' was not found",
      "The database 'JGI Data Portal' was not found",
      'Destination database not found: KBase',
      `invalid ORCID '${orcid}'`,
      "invalid ORCID 'x'",
      'KBase Auth2: No providers/ORCIDs associated with this user',
      'not found: the file has been removed',
      'files not found: some of them',
      "database 'jgi_raw' is down",
      'the transfer could not be started',
      'JDP:failed to stage the files',
      'JDP:staging/1: no space left',
      'staging failed for JDP:20261122T094500',
    ];
    for (const text of own) {
      it(`is accepted if it says: ${text}`, () => assert.equal(namesOtherRequest(text, facts), false));
    }

    it("is another request's only if a word has the whole form of the submitted ids", () => {
      const fileIds = ['JDP:555d4f530d878592d5b9b7f1'];
      const namesOther = (text: string): boolean => namesOtherRequest(text, { ...facts, fileIds });
      assert.equal(namesOther('no checksum for JDP:57fede2e7ded5e3135bcf069'), true);
      for (const text of ['JDP:v2 is down', 'JDP:restore-failed, code 7', 'JDP:unavailable', 'JDP:555d4 and more']) {
        assert.equal(namesOther(text), false, text);
      }
    });

    it("is the transfer's own if it names its ID, whatever else it names, such as its owner", () => {
      for (const text of [
        `transfer ${transferId} belongs to 0000-0001-5109-3700`,
        `cannot cancel transfer ${transferId.toUpperCase()}: the database 'neon' was not found`,
        `transfer ${otherId} was replaced by transfer ${transferId}`,
      ]) {
        assert.equal(namesOtherRequest(text, { ...facts, transferId }), false, text);
        assert.equal(namesOtherRequest(text, facts), true, text);
      }
      assert.equal(namesOtherRequest('it belongs to 0000-0001-5109-3700', { ...facts, transferId }), true);
    });

    it('may name a file whose id has the form of a transfer', () => {
      const text = `Could not transfer ${otherId}: no such file`;
      assert.equal(namesOtherRequest(text, { ...facts, fileIds: [otherId] }), false);
    });
  });

  describe('the client', () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await startBench();
      await bench.connect();
    });
    afterEach(() => bench.end());

    const submit = async (): ReturnType<Bench['client']['transfer']> =>
      await bench.client.transfer({ orcid, source: 'jdp', destination: 'kbase', fileIds: ['JDP:1a'] });

    fault('D35 does not accept a nil UUID as ID, and reports that the submission may have been accepted', async () => {
      bench.server.on(route, json({ id: '00000000-0000-0000-0000-000000000000' }, 201));
      const { value, reason } = await submit();
      assert.equal(value, undefined);
      assert.deepEqual([reason?.kind, reason?.code, reason?.maybeDone], ['foreignAnswer', 'NIL_ID', true]);
    });

    for (const [status, text] of [
      [404, "The following resources in database 'JDP' were not found: JDP:9f"],
      [401, "invalid ORCID '0000-0001-5109-3700'"],
      [500, `transfer not found: ${otherId}`],
    ] as const) {
      fault(`D35 does not accept a ${String(status)} that names something else: ${text}`, async () => {
        bench.server.on(route, plainProblem(status, text));
        const replied: unknown[] = [];
        bench.client.onDidReply((reason) => replied.push(reason?.kind));
        const { reason } = await submit();
        assert.deepEqual([reason?.kind, reason?.code, reason?.maybeDone], ['foreignAnswer', 'OTHER_REFUSAL', true]);
        assert.equal(reason?.status, status);
        assert.ok(reason.detail?.includes(text));
        assert.deepEqual(replied, ['foreignAnswer'], 'a 401 to another request proves nothing about the key');
      });
    }

    it('D35 accepts a refusal that names what was submitted, or no IDs', async () => {
      for (const text of ["The database 'kbase' was not found", 'no room']) {
        bench.server.on(route, problem(404, text));
        const { reason } = await submit();
        assert.deepEqual([reason?.kind, reason?.maybeDone], ['notFound', undefined]);
      }
    });

    fault('D35 retries a status that counts more files than were requested, then reports it as doubtful', async () => {
      const own = { id: transferId, status: 'active', num_files: 2, num_files_transferred: 1 };
      bench.server.on(
        statusRoute,
        json({ ...own, num_files: 3 }),
        json({ ...own, num_files_transferred: 9 }),
        json(own),
      );
      assert.equal(
        (await bench.client.transferStatus(transferId, undefined, { facts: { fileCount: 2 } })).value?.fileCount,
        2,
      );
      assert.equal(bench.server.requests.length, 3);
      bench.server.on(statusRoute, json({ ...own, num_files: 3 }));
      const reply = await bench.client.transferStatus(transferId, undefined, { facts: { fileCount: 2 } });
      assert.equal(reply.value?.doubtful, true);
    });

    const order = { orcid, databases: ['JGI Data Portal', 'KBase'], fileIds: ['JDP:1a'], fileCount: 1 };
    const strangers: readonly (readonly [number, string])[] = [
      [404, "The following resources in database 'JDP' were not found: JDP:9f"],
      [404, "The database 'neon' was not found"],
      [404, `transfer not found: ${otherId}`],
      [401, "invalid ORCID '0000-0001-5109-3700'"],
      [500, `cannot cancel transfer ${otherId}: invalid Orcid`],
    ];
    const ownRefusals: readonly (readonly [number, string])[] = [
      [404, `transfer not found: ${transferId}`],
      [404, 'page not found'],
      [500, `cannot cancel transfer ${transferId}: invalid Orcid`],
      [403, `transfer ${transferId} belongs to 0000-0001-5109-3700`],
      [500, "no room for JDP:1a in database 'KBase'"],
    ];
    const countTries = (status: number): number => (status === 500 ? 3 : 1);
    const cancelRoute = 'DELETE /api/v1/transfers/*';
    const cancel = async (): ReturnType<Bench['client']['cancelTransfer']> =>
      await bench.client.cancelTransfer({ id: transferId, orcid }, { facts: order });

    for (const [status, text] of strangers) {
      fault(`D35 neither believes nor repeats a cancel's ${String(status)} that says: ${text}`, async () => {
        bench.server.on(cancelRoute, plainProblem(status, text));
        const { value, reason } = await cancel();
        assert.deepEqual([value, reason?.kind, reason?.code], [undefined, 'foreignAnswer', 'OTHER_REFUSAL']);
        assert.deepEqual([reason?.detail, reason?.maybeDone], [undefined, true]);
        assert.equal(bench.server.requestsTo(cancelRoute).length, 1);
      });

      fault(`D11 requests a status again after a ${String(status)} that says: ${text}`, async () => {
        const own = { id: transferId, status: 'active', num_files: 1, num_files_transferred: 0 };
        bench.server.on(statusRoute, plainProblem(status, text), json(own));
        const reply = await bench.client.transferStatus(transferId, undefined, { facts: order });
        assert.equal(reply.value?.status, 'active');
        bench.server.on(statusRoute, plainProblem(status, text));
        const { reason } = await bench.client.transferStatus(transferId, undefined, { facts: order });
        assert.deepEqual([reason?.kind, reason?.detail], ['foreignAnswer', undefined]);
        assert.equal(bench.server.requestsTo(statusRoute).length, 2 + 3 * countTries(status));
      });
    }

    for (const [status, text] of ownRefusals) {
      it(`D35 believes a ${String(status)} to a cancel and to a status request that says: ${text}`, async () => {
        bench.server.on(cancelRoute, plainProblem(status, text));
        bench.server.on(statusRoute, plainProblem(status, text));
        const reply = await bench.client.transferStatus(transferId, undefined, { facts: order });
        for (const { reason } of [await cancel(), reply]) {
          assert.equal(reason?.status, status);
          assert.notEqual(reason.kind, 'foreignAnswer');
        }
        assert.equal(bench.server.requestsTo(statusRoute).length, countTries(status));
      });
    }

    const sizeBytes = 1_455_012;
    const messages: readonly (readonly [message: string, files: number, isOwn: boolean])[] = [
      ['staging 1 file(s) (0.00136 GB)', 1, true],
      ['staging 1 file(s) (0.0013550855219364166 GB)', 1, true],
      ['beginning transfer (1 file(s), 0.0013550855219364166 GB)', 1, true],
      ['staging 1 file(s) (1.3550855219364166e-03 GB)', 1, true],
      ['staging 1 file(s) (0.00 GB)', 1, true],
      ['staging 1 file(s) (1.5 MB)', 1, true],
      ['completed successfully', 1, true],
      ['staging 1 file(s) (0.00138 GB)', 1, false],
      ['staging 1 file(s) (0.0013560855219364166 GB)', 1, false],
      ['beginning transfer (1 file(s), 7.450580596923828e-09 GB)', 1, false],
      ['beginning transfer (1 file(s), 7.450580596923828e-09 GB)', 2, true],
      ['staging 1 file(s) (0.66 GB)', 2, false],
    ];
    for (const [text, fileCount, isOwn] of messages) {
      it(`D35 ${isOwn ? 'accepts' : 'doubts'} ${text} for ${String(fileCount)} of ${String(sizeBytes)} bytes`, async () => {
        const message = `Transfer ${transferId}: ${text}`;
        bench.server.on(statusRoute, json({ id: transferId, status: 'staging', message, num_files: fileCount }));
        const facts = { fileCount, sizeBytes };
        const { value } = await bench.client.transferStatus(transferId, undefined, { facts });
        assert.equal(value?.doubtful ?? false, !isOwn);
        assert.equal(bench.server.requestsTo(statusRoute).length, isOwn ? 1 : 3);
      });
    }
  });
});

describe('An abandoned submission (D34)', () => {
  let bench: Bench;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock();
    bench = await startBench({ clock });
    await bench.connect();
    bench.server.on('DELETE /api/v1/transfers/*', json({}, 202));
  });
  afterEach(() => bench.end());

  const request = { orcid, source: 'S', destination: 'T', fileIds: ['a'], timeout: 5 };
  const cancels = (): number => bench.server.requestsTo('DELETE /api/v1/transfers/*').length;

  it('blocks the queue for a minute after a timeout', async () => {
    bench.server.on(route, silence());
    const submission = bench.client.transfer(request);
    await bench.server.received(1);
    const cancel = bench.client.cancelTransfer({ id: transferId, orcid });
    await clock.pass(5_000);
    assert.equal((await submission).reason?.kind, 'timeout');
    await clock.pass(59_999);
    assert.equal(cancels(), 0);
    await clock.pass(1);
    assert.equal((await cancel).value, true);
  });

  it('frees the queue immediately after a response or a connection that the server closed', async () => {
    for (const behavior of [problem(400, 'no'), json({}, 201), dropBeforeAnswer()]) {
      bench.server.on(route, behavior);
      await bench.client.transfer(request);
      assert.equal((await bench.client.cancelTransfer({ id: transferId, orcid })).value, true);
    }
  });

  it('is not sent if it is withdrawn while it waits in the queue', async () => {
    bench.server.on(statusRoute, silence());
    void bench.client.transferStatus(transferId);
    await bench.server.received(1);
    const withdrawal = new AbortController();
    const submission = bench.client.transfer(request, { signal: withdrawal.signal });
    withdrawal.abort();
    const { reason } = await submission;
    assert.deepEqual([reason?.kind, reason?.maybeDone], ['cancelled', undefined]);
    assert.equal(bench.server.requestsTo(route).length, 0);
  });
});
