import assert from 'node:assert/strict';
import { publicLike } from '../support/faultPersonality.ts';
import { until } from '../unit/core/rig.ts';
import { Stage } from './stage.ts';

const nmdc = 'National Microbiome Data Collaborative';
const kbase = 'KBase Workspace Service (KSS)';

describe('Submitting again', () => {
  let stage: Stage;
  let service: ReturnType<typeof publicLike>;
  beforeEach(async () => {
    stage = await Stage.open();
    service = publicLike(stage.server, 'the-key');
    await stage.connect('the-key');
    await stage.search('JGI Data Portal', 'JDP:00000');
    await stage.transferAll(nmdc);
  });
  afterEach(() => stage.close());

  const submissions = (): Record<string, unknown>[] =>
    stage.server.requestsTo('POST /api/v1/transfers').map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  it('sends all of it as it was, after the same summary as the first time', async () => {
    const { person, run, firstTransfer } = stage;
    await stage.moveOn(service, 'failed');
    const done = run('dataTransfer.submitAgain', firstTransfer);
    const ways = await person.pick();
    assert.deepEqual(ways.labels, ['All of it again: 10 files', 'Change before submitting…']);
    ways.choose('All of it again: 10 files');
    const summary = await person.notice(/^Transfer 10 files to .*\?$/);
    assert.deepEqual(summary.detail.split('\n'), ['Size: 100 bytes', 'From: JGI Data Portal', `To: ${nmdc}`]);
    summary.press('Transfer');
    await done;
    const [first, second] = submissions();
    assert.deepEqual(second, first);
    const { transferStore } = stage.parts;
    assert.deepEqual([transferStore.running().length, transferStore.finished().length], [1, 1]);
  });

  it('sends only the files that the message of the service names', async () => {
    const { person, run, firstTransfer } = stage;
    await stage.moveOn(service, 'failed', 'could not stage JDP:000003, JDP:000007: not found; JDP:999999 is new');
    const done = run('dataTransfer.submitAgain', firstTransfer);
    const ways = await person.pick();
    ways.choose('Only what the service names in its message: 2 files');
    (await person.notice(/^Transfer 2 files to /)).press('Transfer');
    await done;
    assert.deepEqual(submissions()[1]?.['file_ids'], ['JDP:000003', 'JDP:000007']);
  });

  it('asks everything again with the earlier answers filled in, to be changed', async () => {
    const { person, run, firstTransfer } = stage;
    await stage.moveOn(service, 'succeeded');
    const done = run('dataTransfer.submitAgain', firstTransfer);
    (await person.pick()).choose('Change before submitting…');
    const files = await person.pick();
    assert.equal(files.selectedItems.length, 10);
    files.choose(...files.labels.slice(0, 3));
    const destinations = await person.pick();
    assert.equal(destinations.activeItems[0]?.label, nmdc);
    destinations.choose(kbase);
    (await person.textBox()).enter('again');
    (await person.pick()).choose('No instructions');
    (await person.notice(/^Transfer 3 files to KBase/)).press('Transfer');
    await done;
    const [, second] = submissions();
    assert.deepEqual([second?.['description'], (second?.['file_ids'] as string[]).length], ['again', 3]);
  });

  it('keeps description and instructions where they are only passed by', async () => {
    const { person, run, parts } = stage;
    const [earlier] = parts.transferStore.all();
    assert.ok(earlier);
    await stage.moveOn(service, 'failed');
    const said = { description: '# For\n\n- the *survey*', instructions: { type: 'assembly' } };
    const [ended] = parts.transferStore.all();
    assert.ok(ended);
    await parts.transferFlow.keep({ ...ended, order: { ...ended.order, ...said } });
    const done = run('dataTransfer.submitAgain', stage.firstTransfer);
    (await person.pick()).choose('Change before submitting…');
    (await person.pick()).accept();
    (await person.pick()).choose(nmdc);
    const description = await person.textBox();
    assert.equal(description.value, '# For - the *survey*');
    description.enter();
    const instructions = await person.pick();
    assert.equal(instructions.labels[0], 'The same instructions as before');
    instructions.choose('The same instructions as before');
    (await person.notice(/^Transfer 10 files/)).press('Transfer');
    await done;
    const [, second] = submissions();
    assert.deepEqual([second?.['description'], second?.['instructions']], [said.description, said.instructions]);
  });

  it('sends nothing when the person leaves at any step', async () => {
    const { person, run, firstTransfer } = stage;
    await stage.moveOn(service, 'failed');
    for (const leave of ['way', 'summary'] as const) {
      const done = run('dataTransfer.submitAgain', firstTransfer);
      const ways = await person.pick();
      if (leave === 'way') ways.escape();
      else {
        ways.choose('All of it again: 10 files');
        (await person.notice(/^Transfer 10 files/)).dismiss();
      }
      await done;
    }
    assert.equal(submissions().length, 1);
  });

  it('refuses for a transfer that runs', async () => {
    await stage.run('dataTransfer.submitAgain', stage.firstTransfer);
    await stage.person.notice(/^This transfer is still running\.$/);
  });

  it('asks which from the palette, those that ended and those not confirmed', async () => {
    await stage.moveOn(service, 'failed');
    const done = stage.run('dataTransfer.submitAgain');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, [`10 files to ${nmdc}`]);
    pick.escape();
    await done;
  });

  describe('what is on its way already', () => {
    const summaryOf = async (): ReturnType<Stage['person']['notice']> => {
      const { person, run } = stage;
      void run('dataTransfer.transferCheckedFiles');
      (await person.pick()).choose(nmdc);
      (await person.textBox()).enter('');
      (await person.pick()).choose('No instructions');
      return await person.notice(/^Transfer .* to .*\?$/);
    };
    const check = (count: number): void => {
      const [search] = stage.parts.searchStore.all();
      const files = search?.files.filter((file) => file.kind === 'file').slice(0, count) ?? [];
      stage.parts.searchStore.setChecked(search?.key ?? '', files, true);
    };

    it('is warned of in the summary, with the number of files', async () => {
      check(3);
      const summary = await summaryOf();
      assert.match(summary.detail, /^3 of these files are already on their way to National Microbiome/m);
      assert.deepEqual(summary.buttons, ['Transfer', 'Show', 'Back']);
      summary.dismiss();
    });

    it('can be looked at, and transferred all the same', async () => {
      check(1);
      const summary = await summaryOf();
      assert.match(summary.detail, /^1 of these files is already on its way/m);
      summary.press('Show');
      await stage.tab(`Transfer to ${nmdc}`);
      const again = await stage.person.notice(/^Transfer 1 file to .* all the same\?$/);
      assert.equal(again.isModal, false);
      assert.equal(submissions().length, 1);
      again.press('Transfer');
      await until(
        stage.parts.transferStore.onDidChange,
        () => stage.parts.transferStore.all().every(({ id }) => id !== undefined) && submissions().length === 2,
      );
      assert.equal(stage.parts.transferStore.all().length, 2);
      await stage.closePages();
    });

    it('is no matter once it has ended', async () => {
      await stage.moveOn(service, 'succeeded');
      check(3);
      const summary = await summaryOf();
      assert.doesNotMatch(summary.detail, /on their way/);
      assert.deepEqual(summary.buttons, ['Transfer', 'Back']);
      summary.dismiss();
    });
  });
});
