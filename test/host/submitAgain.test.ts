import assert from 'node:assert/strict';
import type { TransferFile, TransferState } from '../../src/core/model/transferModel.ts';
import { json, text } from '../support/faultBehaviors.ts';
import type { PublicState } from '../support/faultPersonality.ts';
import { until } from '../unit/core/rig.ts';
import { Stage } from './stage.ts';

const nmdc = 'National Microbiome Data Collaborative';
const kbase = 'KBase Workspace Service (KSS)';

describe('Resubmitting', () => {
  let stage: Stage;
  let service: PublicState;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    service = stage.service;
    await stage.search('JGI Data Portal', 'JDP:00000');
    await stage.transferAll(nmdc);
  });
  afterEach(() => stage.close());

  const submissions = (): Record<string, unknown>[] =>
    stage.server.requestsTo('POST /api/v1/transfers').map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  it('submits all files with the same details, after the same summary', async () => {
    const { person, run, firstTransfer } = stage;
    await stage.moveOn(service, 'failed');
    const done = run('dataTransfer.submitAgain', firstTransfer);
    const summary = await person.notice(/^Transfer 10 files to .*\?$/);
    assert.deepEqual(summary.detail.split('\n').slice(1), ['Size: 100 bytes', 'From: JGI Data Portal', `To: ${nmdc}`]);
    assert.match(summary.detail, /^Files: .* and 7 more$/m);
    assert.deepEqual([summary.kind, summary.buttons], ['information', ['Transfer', 'Edit…']]);
    summary.press('Transfer');
    await done;
    const [first, second] = submissions();
    assert.deepEqual(second, first);
    const { transferStore } = stage.parts;
    assert.deepEqual([transferStore.getRunning().length, transferStore.getFinished().length], [1, 1]);
  });

  it('shows the licenses again, and can leave out the files that were transferred before (D60)', async () => {
    const { person, run, parts } = stage;
    await stage.moveOn(service, 'succeeded');
    const [earlier] = parts.transferStore.getAll();
    assert.ok(earlier);
    const licenses = [{ name: 'Proprietary' }];
    const known = earlier.order.files.map((file, index) =>
      index > 3 ? file : { ...file, licenses, sizeBytes: 5, hash: String(index).repeat(64) },
    );
    await parts.transferFlow.save({ ...earlier, order: { ...earlier.order, files: known } });
    const done = run('dataTransfer.submitAgain', stage.firstTransfer);
    const summary = await person.notice(/^Transfer 10 files to .*\?$/);
    assert.match(summary.detail, /^Licenses: Proprietary \(4 files\), not stated \(6 files\)$/m);
    assert.match(summary.detail, /^The license of 4 files forbids redistribution: Proprietary$/m);
    assert.deepEqual(summary.buttons, ['Transfer', 'Leave Out 4 Files', 'Edit…']);
    summary.press('Leave Out 4 Files');
    await done;
    assert.equal((submissions()[1]?.['file_ids'] as string[]).length, 6);
  });

  it('offers only the files that were not transferred if the service knows them, with their number (D71)', async () => {
    const { person, run, firstTransfer, server } = stage;
    await stage.moveOn(service, 'failed');
    const [id] = service.transfers.keys();
    const counts = { failed: 1, unfinished: 2, transferred: 7 };
    const list = (state: string, ...positions: number[]): object => ({
      files: positions.map((position) => ({ position, id: 'x', path: 'x', state })),
      counts,
    });
    const route = `GET /transfers/${id}/files`;
    server.on(route, json(list('failed', 4)), json(list('unfinished', 8, 9)));
    const done = run('dataTransfer.submitAgain', firstTransfer);
    const ways = await person.pick();
    assert.deepEqual(ways.labels, ['All files (10)', 'Only files that were not transferred (3)']);
    ways.choose('Only files that were not transferred (3)');
    (await person.notice(/^Transfer 3 files to /)).press('Transfer');
    await done;
    const sent = submissions().map((body) => body['file_ids'] as string[]);
    assert.deepEqual(
      sent[1],
      [4, 8, 9].map((position) => sent[0]?.[position]),
    );
    server.on(route, text(404, '404 page not found'));
  });

  it("submits only the files named in the service's message", async () => {
    const { person, run, firstTransfer } = stage;
    await stage.moveOn(service, 'failed', 'could not stage JDP:000003, JDP:000007: not found; JDP:999999 is new');
    const done = run('dataTransfer.submitAgain', firstTransfer);
    const ways = await person.pick();
    ways.choose('Only files named in the server message (2)');
    (await person.notice(/^Transfer 2 files to /)).press('Transfer');
    await done;
    assert.deepEqual(submissions()[1]?.['file_ids'], ['JDP:000003', 'JDP:000007']);
  });

  it('asks for all details again, with the earlier ones as defaults', async () => {
    const { person, run, firstTransfer } = stage;
    await stage.moveOn(service, 'succeeded');
    const done = run('dataTransfer.submitAgain', firstTransfer);
    (await person.notice(/\?$/)).press('Edit…');
    const files = await person.pick();
    assert.equal(files.selectedItems.length, 10);
    files.choose(...files.labels.slice(0, 3));
    const destinations = await person.pick();
    assert.equal(destinations.activeItems[0]?.label, nmdc);
    destinations.choose(kbase);
    (await person.pick()).choose('Description…');
    (await person.textBox()).enter('again');
    (await person.pick()).choose('Continue');
    (await person.notice(/^Transfer 3 files to KBase/)).press('Transfer');
    await done;
    const [, second] = submissions();
    assert.deepEqual([second?.['description'], (second?.['file_ids'] as string[]).length], ['again', 3]);
  });

  it('keeps description and instructions if the user accepts the defaults', async () => {
    const { person, run, parts } = stage;
    const [earlier] = parts.transferStore.getAll();
    assert.ok(earlier);
    await stage.moveOn(service, 'failed');
    const said = { description: '# For\n\n- the *survey*', instructions: { type: 'assembly' } };
    const [ended] = parts.transferStore.getAll();
    assert.ok(ended);
    await parts.transferFlow.save({ ...ended, order: { ...ended.order, ...said } });
    const done = run('dataTransfer.submitAgain', stage.firstTransfer);
    (await person.notice(/^Transfer 10 files/)).press('Edit…');
    (await person.pick()).accept();
    (await person.pick()).choose(nmdc);
    (await person.pick()).choose('Description…');
    const description = await person.textBox();
    assert.equal(description.value, '# For - the *survey*');
    description.enter();
    (await person.pick()).choose('Instructions…');
    const instructions = await person.pick();
    assert.equal(instructions.labels[0], 'Same instructions as before');
    instructions.choose('Same instructions as before');
    (await person.pick()).choose('Continue');
    (await person.notice(/^Transfer 10 files/)).press('Transfer');
    await done;
    const [, second] = submissions();
    assert.deepEqual([second?.['description'], second?.['instructions']], [said.description, said.instructions]);
  });

  it('sends nothing if the user cancels at any step', async () => {
    const { person, run, firstTransfer } = stage;
    await stage.moveOn(service, 'failed', 'could not stage JDP:000003');
    for (const leave of ['way', 'summary', 'edit'] as const) {
      const done = run('dataTransfer.submitAgain', firstTransfer);
      const ways = await person.pick();
      assert.deepEqual(ways.labels, ['All files (10)', 'Only files named in the server message (1)']);
      if (leave === 'way') ways.escape();
      else {
        ways.choose('All files (10)');
        const summary = await person.notice(/^Transfer 10 files/);
        if (leave === 'summary') summary.dismiss();
        else {
          summary.press('Edit…');
          (await person.pick()).escape();
        }
      }
      await done;
    }
    assert.equal(submissions().length, 1);
  });

  it('rejects a running transfer', async () => {
    await stage.run('dataTransfer.submitAgain', stage.firstTransfer);
    const { kind, buttons } = await stage.person.notice(/^This transfer hasn't finished yet\.$/);
    assert.deepEqual([kind, buttons], ['information', ['Show Details']]);
  });

  it('asks for another destination if the earlier one is no longer available', async () => {
    await stage.moveOn(service, 'failed');
    const { connectionStore } = stage.parts;
    const databases = connectionStore.listing.databases.filter(({ name }) => name !== nmdc);
    connectionStore.setListing({ databases, isLoading: false });
    const done = stage.run('dataTransfer.submitAgain', stage.firstTransfer);
    (await stage.person.pick()).accept();
    const destinations = await stage.person.pick();
    assert.deepEqual(destinations.labels, [kbase]);
    destinations.escape();
    await done;
    assert.equal(submissions().length, 1);
  });

  it('asks for an ended or unconfirmed transfer when run from the Command Palette', async () => {
    await stage.moveOn(service, 'failed');
    const done = stage.run('dataTransfer.submitAgain');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, [`10 files to ${nmdc}`]);
    pick.escape();
    await done;
  });

  describe('files that are already being transferred', () => {
    const readSummary = async (): ReturnType<Stage['person']['notice']> => {
      const { person, run } = stage;
      void run('dataTransfer.transferCheckedFiles');
      (await person.pick()).choose(nmdc);
      (await person.pick()).choose('Continue');
      return await person.notice(/^Transfer .* to .*\?$/);
    };
    const check = (count: number): void => {
      const [search] = stage.parts.searchStore.getAll();
      const files = search?.files.filter((file) => file.kind === 'file').slice(0, count) ?? [];
      stage.parts.searchStore.setChecked(search?.key ?? '', files, true);
    };

    it('are counted in the summary', async () => {
      check(3);
      const summary = await readSummary();
      assert.match(summary.detail, /^Already being transferred to National Microbiome.*: 3 files\.$/m);
      assert.deepEqual(summary.buttons, ['Transfer', 'Show Transfer', 'Back']);
      summary.dismiss();
    });

    it('are counted separately from those whose submission is not confirmed', async () => {
      const [first] = stage.parts.transferStore.getAll();
      assert.ok(first);
      const [one, ...others] = first.order.files;
      assert.ok(one);
      const put = (key: string, state: TransferState, files: readonly TransferFile[]): void =>
        stage.parts.transferStore.put([{ ...first, key, state, order: { ...first.order, files } }]);
      put(first.key, 'active', [one]);
      put('unconfirmed', 'notConfirmed', [one, ...others]);
      check(3);
      const summary = await readSummary();
      assert.match(summary.detail, /^Already being transferred to .*: 1 file\.$/m);
      assert.match(summary.detail, /^Submitted for transfer to .*, but not confirmed: 2 files\.$/m);
      summary.dismiss();
    });

    it('can be shown, and transferred anyway', async () => {
      check(1);
      const summary = await readSummary();
      assert.match(summary.detail, /^Already being transferred to .*: 1 file\.$/m);
      summary.press('Show Transfer');
      await stage.tab(`Transfer to ${nmdc}`);
      const again = await stage.person.notice(/^Transfer 1 file to .* anyway\?$/);
      assert.equal(again.isModal, false);
      assert.equal(submissions().length, 1);
      again.press('Transfer');
      await until(
        stage.parts.transferStore.onDidChange,
        () => stage.parts.transferStore.getAll().every(({ id }) => id !== undefined) && submissions().length === 2,
      );
      assert.equal(stage.parts.transferStore.getAll().length, 2);
      await stage.closePages();
    });

    it('are not mentioned after that transfer has ended', async () => {
      await stage.moveOn(service, 'succeeded');
      check(3);
      const summary = await readSummary();
      assert.doesNotMatch(summary.detail, /already being transferred/i);
      assert.deepEqual(summary.buttons, ['Transfer', 'Back']);
      summary.dismiss();
    });
  });
});
