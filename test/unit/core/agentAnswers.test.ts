import assert from 'node:assert/strict';
import { toFileDetails, toFileRow } from '../../../src/core/agents/fileTools.ts';
import { toPlanAnswer } from '../../../src/core/agents/planTransferTool.ts';
import { describeReason } from '../../../src/cli/text/sentences.ts';
import { toTransferAnswer, toTransferRow } from '../../../src/core/agents/transferTools.ts';
import type { TransferPlan } from '../../../src/core/agents/transferPlan.ts';
import {
  createBusyDecision,
  createNotConnectedError,
  createUndecidedDecision,
} from '../../../src/core/agents/agentContext.ts';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { chooseBehavior, dropBeforeAnswer, json, problem } from '../../support/faultBehaviors.ts';
import { AgentStage } from './agentStage.ts';
import { order, running, submittingTransfer } from './specimens.ts';

const file = { id: 'f1', name: 'f1.csv' };
const started: Transfer = { ...running, order: { ...order, files: [file, { ...file, id: 'f2' }] }, createdAt: 1_000 };

describe('A transfer in the result of a tool', () => {
  it('has its counts, the time of its last status, and the message of the server below data', () => {
    const status = { state: 'active', fileCount: 2, movedFileCount: 1, message: 'half\u0007' } as const;
    assert.deepEqual(toTransferAnswer({ ...started, status, askedAt: 2_000 }, describeReason), {
      transferId: 'id',
      state: 'active',
      files: 2,
      transferredFiles: 1,
      startedAt: '1970-01-01T00:00:01.000Z',
      checkedAt: '1970-01-01T00:00:02.000Z',
      data: { source: 'A', destination: 'B', message: 'half' },
    });
  });

  it('has the time of its end instead of that of its last status', () => {
    const changes = [
      { state: 'active', at: 1_000 },
      { state: 'failed', at: 3_000 },
    ] as const;
    const answer = toTransferAnswer({ ...started, state: 'failed', changes, askedAt: 4_000 }, describeReason);
    assert.deepEqual(
      [answer['state'], answer['endedAt'], answer['checkedAt']],
      ['failed', '1970-01-01T00:00:03.000Z', undefined],
    );
  });

  it('names its record if the service assigned no ID', () => {
    assert.deepEqual(toTransferAnswer({ ...submittingTransfer, startedElsewhere: true }, describeReason), {
      transferId: 'none',
      record: 'one',
      state: 'being submitted',
      files: 'unknown',
      transferredFiles: 'unknown',
      startedAt: 'unknown',
      checkedAt: 'never',
      data: { source: 'A', destination: 'B' },
    });
  });

  const complete = { state: 'succeeded', fileCount: 2, movedFileCount: 2, message: '' } as const;
  for (const [change, word] of [
    [{ state: 'notConfirmed' }, 'not confirmed'],
    [{ state: 'succeeded', status: complete }, 'succeeded'],
    [{ state: 'succeeded', status: { ...complete, movedFileCount: 1 } }, 'incomplete'],
    [{ state: 'cancelled' }, 'canceled'],
    [{ state: 'expired' }, 'ended; the service no longer knows it'],
    [{ state: 'refused' }, 'not started'],
    [{ cancelAcceptedAt: 5 }, 'canceling'],
    [{ cancelAcceptedAt: 5, cancelUnheeded: true }, 'active'],
    [{ state: 'failed', cancelAcceptedAt: 5 }, 'failed'],
    [{ problem: { kind: 'serviceStopped' } }, 'paused'],
  ] as const) {
    it(`is ${word} for ${JSON.stringify(change)}`, () => {
      const transfer = { ...started, ...change } as Transfer;
      assert.equal(toTransferAnswer(transfer, describeReason)['state'], word);
      assert.deepEqual(toTransferRow(transfer), {
        transferId: 'id',
        state: word,
        destination: 'B',
        startedAt: '1970-01-01T00:00:01.000Z',
      });
    });
  }

  it('has a note if it may have started, or continues after its cancellation', () => {
    const note = (change: Partial<Transfer>): unknown =>
      toTransferAnswer({ ...started, ...change }, describeReason)['note'];
    assert.match(String(note({ state: 'notConfirmed' })), /Never submit it again/);
    assert.match(String(note({ cancelUnheeded: true })), /still reports the same status/);
    assert.equal(note({}), undefined);
  });
});

describe('A file in the result of a tool', () => {
  const entry: FileEntry = { kind: 'file', id: 'f1', database: 'Alpha', name: 'f1.csv', resource: {} };

  it('marks unknown values', () => {
    assert.deepEqual(toFileRow(entry), { id: 'f1', path: 'f1.csv', bytes: 'unknown' });
    assert.deepEqual(toFileDetails(entry), {
      id: 'f1',
      path: 'f1.csv',
      bytes: 'unknown',
      hash: 'unknown',
      licenses: 'not stated',
    });
  });

  it('has the details needed to choose it, in lines of limited length', () => {
    const texts = { title: 'Soil\n2', description: 'x'.repeat(600), mediaType: 'y'.repeat(90), format: 'z'.repeat(50) };
    const known = { path: 'a/f1.csv', sizeBytes: 0, hash: 'md5:1', resource: { license: 'MIT', staged: true } };
    const details = toFileDetails({ ...entry, ...texts, ...known });
    const { description, mediaType, format, ...rest } = details;
    assert.deepEqual(rest, {
      id: 'f1',
      path: 'a/f1.csv',
      bytes: 0,
      staging: 'staged',
      title: 'Soil 2',
      hash: 'md5:1',
      licenses: ['MIT'],
    });
    assert.deepEqual(
      [description, mediaType, format].map((text) => String(text).length),
      [500, 80, 40],
    );
  });
});

describe('A plan in the result of a tool', () => {
  const plan: TransferPlan = {
    id: 'a1',
    createdAt: 0,
    expiresAt: 60_000,
    requestedBy: 'agent',
    source: 'Alpha',
    destination: 'Beta',
    service: { connectionId: 'c', name: 'Test', address: 'http://localhost:1', orcid: 'me' },
    files: Array.from({ length: 7 }, (_, index) => ({ id: `f${index}`, path: `f${index}.csv`, bytes: 5 })),
    textOrigin: 'agent',
    licenses: [{ name: 'MIT', fileCount: 6, forbidsSharing: false }],
    copies: { atDestination: 2, isComplete: true, received: 3, underWay: 1 },
    freeBytes: 0,
  };

  it('has its totals and a few of its files', () => {
    assert.deepEqual(toPlanAnswer(plan), {
      planId: 'a1',
      state: 'proposed',
      service: 'http://localhost:1',
      files: 7,
      bytes: 35,
      alreadyAtDestination: 2,
      transferredEarlier: 3,
      inTransfer: 1,
      freeBytes: 0,
      expiresAt: '1970-01-01T00:01:00.000Z',
      data: {
        source: 'Alpha',
        destination: 'Beta',
        licenses: [{ license: 'MIT', files: 6 }],
        examples: ['f0.csv', 'f1.csv', 'f2.csv', 'f3.csv', 'f4.csv'],
      },
      next: 'Tell the user the totals, then call submit_transfer with the planId.',
    });
  });

  it('states unknown and restricted values, and the author of its text', () => {
    const { freeBytes, ...rest } = plan;
    assert.equal(freeBytes, 0);
    const licenses = Array.from({ length: 12 }, () => ({ fileCount: 1, forbidsSharing: true }));
    const answer = toPlanAnswer(
      { ...rest, textOrigin: 'server', licenses, files: [{ id: 'f', path: 'f' }] },
      { kind: 'expired' },
    );
    const { data, ...totals } = answer;
    assert.partialDeepStrictEqual(totals, { state: 'expired', bytes: 0, filesOfUnknownSize: 1, freeBytes: 'unknown' });
    assert.match(String(totals['textOrigin']), /copied from a server/);
    assert.equal(totals['next'], undefined);
    const shown = (data as { readonly licenses: readonly unknown[] }).licenses;
    assert.equal(shown.length, 10);
    assert.deepEqual(shown[0], { license: 'not stated', files: 1, forbidsSharing: true });
  });

  it('counts the files at an incompletely known destination as a minimum', () => {
    const describe = (atDestination: number): unknown =>
      toPlanAnswer({ ...plan, copies: { ...plan.copies, isComplete: false, atDestination } })['alreadyAtDestination'];
    assert.deepEqual([describe(0), describe(4)], ['unknown', 'at least 4']);
  });
});

describe('The result from a window', () => {
  it('names the commands that connect and, outside its message, the service, if it is known', () => {
    const errors = [createNotConnectedError(), createNotConnectedError('Lab "1"\n')];
    assert.deepEqual(
      errors.map(({ code }) => code),
      ['notConnected', 'notConnected'],
    );
    assert.match(errors[0]?.message ?? '', /^No service is connected\. .*Connect to a Service…/);
    assert.match(errors[1]?.message ?? '', /^The required service is not connected\. .*Connect to a Service…/);
    assert.equal(errors[1]?.reason, 'Required service: Lab "1"\n');
  });

  it('states that a decision is pending', () => {
    const answers = [createBusyDecision(), createUndecidedDecision()];
    assert.ok(answers.every((answer) => answer.kind === 'waiting' && answer.hint !== ''));
  });
});

describe('The result for files', () => {
  it('does not list files as missing that could not be looked up', async () => {
    const stage = await AgentStage.start({});
    const lookUp = chooseBehavior(({ query }) => {
      const ids = (query.get('ids') ?? '').split(',');
      return ids.includes('bad')
        ? problem(500, 'bad: locked')
        : json({ resources: ids.map((id) => ({ id, name: id })) });
    });
    stage.rig.server.on('GET /api/v1/files/by-id', lookUp);
    const { content } = await stage.call('describe_files', { database: 'Alpha', ids: ['f1', 'bad'] });
    await stage.end();
    assert.deepEqual(
      [content['missing'], content['note']],
      [['bad'], "Some of the missing files couldn't be looked up, so they may exist."],
    );
    assert.match(JSON.stringify(content['data']), /"reason":"serverError: bad: locked"/);
  });

  it('names the ID that closes the connection when it is requested (D37)', async () => {
    const stage = await AgentStage.start({});
    stage.rig.server.on('GET /api/v1/files/by-id', dropBeforeAnswer());
    const { content } = await stage.call('describe_files', { database: 'Alpha', ids: ['no-colon'] });
    await stage.end();
    assert.deepEqual(content['missing'], ['no-colon']);
    assert.match(JSON.stringify(content['data']), /"reason":"dropped: no-colon"/);
  });
});
