import assert from 'node:assert/strict';
import { env } from 'vscode';
import type { FileEntry } from '../../src/core/model/fileEntry.ts';
import type { TransferOrder } from '../../src/core/model/transferModel.ts';
import { systemClock, type Clock } from '../../src/core/util/clock.ts';
import { confirmSubmission } from '../../src/extension/features/submission/submissionSummary.ts';
import { ManualClock } from '../support/manualClock.ts';
import type { ScriptedNotice } from '../support/scriptedWindow.ts';
import { until } from '../unit/core/rig.ts';
import { transferSamples } from './receivedSamples.ts';
import { fileEntry } from './specimens.ts';
import { Stage } from './stage.ts';

const jgi = 'JGI Data Portal';
const kss = 'KBase Workspace Service (KSS)';
const nmdc = 'National Microbiome Data Collaborative';

/** Starts a transfer of the checked files. Resolves to its summary and a promise for the end of the command. */
async function openSummary(
  stage: Stage,
  destination: string,
): Promise<{ summary: ScriptedNotice; done: Promise<void> }> {
  const done = stage.run('dataTransfer.transferCheckedFiles');
  (await stage.person.pick()).choose(destination);
  (await stage.person.pick()).choose('Continue');
  return { summary: await stage.person.notice(/^Transfer .* to .*\?$/), done };
}

/** Returns the sentences before the facts in a summary. */
function getSentences({ detail }: ScriptedNotice): readonly string[] {
  return detail.split('\n\n').slice(0, -1);
}

/** Returns the sentence about three files that were transferred today. */
function describeTransferred(): string {
  const day = new Intl.DateTimeFormat(env.language, { dateStyle: 'long' }).format(Date.now());
  return `Previously transferred to Received Files on ${day}: 3 files.`;
}

describe('Files that the destination already has', () => {
  let stage: Stage;
  let dependencies: { clock: Clock };
  beforeEach(async () => {
    stage = await Stage.openWithService();
    dependencies = stage.parts.duplicateFlow['dependencies'];
    // With a stopped clock, the search for copies has no time limit.
    dependencies.clock = new ManualClock();
  });
  afterEach(async () => {
    dependencies.clock = systemClock;
    await stage.closePages();
    await stage.close();
  });

  it('are counted in the summary of a local transfer, and can be left out (D60: same content)', async () => {
    await transferSamples(stage);
    const { searchStore, transferStore } = stage.parts;
    const { key, files } = await stage.search('Sample Data', '');
    searchStore.checkAll(key);
    const { summary, done } = await openSummary(stage, 'Received Files');
    assert.deepEqual(getSentences(summary), [
      'At least 3 of these files are already in Received Files.',
      describeTransferred(),
    ]);
    assert.deepEqual(summary.buttons, ['Transfer', 'Leave Out 3 Files', 'Back']);
    summary.press('Leave Out 3 Files');
    await done;
    const [transfer] = transferStore.getAll();
    assert.equal(transfer?.order.files.length, files.length - 3);
    assert.ok(transfer.order.files.every(({ name }) => !name.startsWith('observations-')));
    assert.equal(searchStore.getCheckedFiles().length, 3, 'files that were left out stay checked');
    await until(transferStore.onDidChange, () => transferStore.getRunning().length === 0);
  });

  it('are left out by default only if that is sure and nothing else is to happen (D60, D72)', async () => {
    const { order } = await transferSamples(stage);
    const { sizeBytes = 0, ...first } = order.files[0] ?? assert.fail();
    // No other transfer can have written a file of this size and hash.
    const planned = { ...order, files: [...order.files, { ...first, id: 'new', sizeBytes: sizeBytes + 1 }] };
    const listButtons = async (changed: Partial<TransferOrder>): Promise<readonly string[]> => {
      const onLeaveOut = (): void => assert.fail('nothing was chosen');
      const done = confirmSubmission(stage.parts, [{ ...planned, ...changed }], { onLeaveOut });
      const summary = await stage.person.notice(/^Transfer 4 files to Received Files\?$/);
      assert.match(summary.detail, /^3 of these files are already in Received Files\.\n\n/);
      summary.dismiss();
      await done;
      return summary.buttons;
    };
    assert.deepEqual(await listButtons({}), ['Leave Out 3 Files', 'Transfer']);
    assert.deepEqual(await listButtons({ folder: 'run-42' }), ['Transfer', 'Leave Out 3 Files']);
    const instructions = { then: { program: '/lab/analyse' } };
    assert.deepEqual(await listButtons({ instructions }), ['Transfer', 'Leave Out 3 Files']);
  });

  it("are reported with the day of their verified transfer, and can't all be left out", async () => {
    const { key } = await transferSamples(stage);
    const verified = stage.run('dataTransfer.verifyLandedFiles', { kind: 'transfer', key });
    (await stage.person.notice(/^All 3 files verified/)).dismiss();
    await verified;
    stage.parts.searchStore.checkAll((await stage.search('Sample Data', 'observations')).key);
    const { summary, done } = await openSummary(stage, 'Received Files');
    assert.deepEqual(getSentences(summary), [
      'All of these files are already in Received Files.',
      describeTransferred(),
    ]);
    assert.deepEqual(summary.buttons, ['Transfer', 'Back']);
    summary.dismiss();
    await done;
  });

  it('are found in search results, as are copies from several sources, without another request', async () => {
    await stage.connectToPublic();
    await stage.search(jgi, 'JDP:00000');
    const { searchStore, sessions } = stage.parts;
    const connectionId = sessions.active?.connection.id ?? '';
    const find = (database: string, ...digits: readonly string[]): void => {
      const files = digits.map((digit, index): FileEntry => {
        const content = { path: `${digit}.fastq`, sizeBytes: 5, hash: digit.repeat(64) };
        return fileEntry(`${database} ${index}`, { database, ...content });
      });
      searchStore.open(database, connectionId, { database, query: '', pageSize: 10 });
      searchStore.update(database, { files, isLoading: false });
    };
    find(jgi, 'a', 'b');
    find(kss, 'b', 'c');
    find(nmdc, 'c');
    searchStore.update(nmdc, {
      files: [
        ...(searchStore.get(nmdc)?.files ?? []),
        fileEntry('nmdc a', { database: nmdc, path: 'copy/a.fastq', sizeBytes: 5, hash: 'a'.repeat(64) }),
        fileEntry('nmdc b', { database: nmdc, sizeBytes: 5, hash: 'b'.repeat(64) }),
      ],
    });
    for (const database of [jgi, kss]) searchStore.checkAll(database);
    const before = stage.server.requests.length;
    const { summary, done } = await openSummary(stage, nmdc);
    assert.equal(stage.server.requests.length, before);
    assert.deepEqual(getSentences(summary), [
      `At least 1 of these files is already in ${nmdc}.`,
      `${nmdc} has the content of 1 of these files under another path.`,
      `${nmdc} has the content of 2 of these files, perhaps under other paths.`,
      '1 of these files is identical to a file from another source.',
    ]);
    assert.deepEqual(summary.buttons, ['Transfer', 'Leave Out 2 Files', 'Back']);
    summary.press('Leave Out 2 Files');
    await done;
    const bodies = stage.server.requestsTo('POST /api/v1/transfers').map(({ body }) => JSON.parse(body) as unknown);
    assert.deepEqual(
      bodies.map((body) => (body as { readonly file_ids: readonly string[] }).file_ids),
      [[`${jgi} 0`, `${jgi} 1`]],
    );
    const [transfer] = stage.parts.transferStore.getAll();
    assert.deepEqual(
      transfer?.order.files.map(({ hash }) => hash),
      ['a'.repeat(64), 'b'.repeat(64)],
      'the record contains the hashes for later transfers',
    );
  });
});
