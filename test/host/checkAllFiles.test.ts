import assert from 'node:assert/strict';
import { CancellationTokenSource, window } from 'vscode';
import { json } from '../support/faultBehaviors.ts';
import { Gate } from '../support/gate.ts';
import { Stage } from './stage.ts';

describe('Check All Files', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
  });
  afterEach(() => stage.close());

  it('shows how many files it checks if more may exist, and loads the rest first on request', async () => {
    const { person, parts } = stage;
    await stage.settings.update('search.pageSize', 25, true);
    const { key } = await stage.search('JGI Data Portal', '');
    const check = async (choice: string | undefined): Promise<number> => {
      const done = stage.run('dataTransfer.checkAllFiles', { kind: 'search', key });
      const pick = await person.pick();
      assert.deepEqual(pick.labels, ['Check 25 loaded files; more may exist', 'Load and check all files']);
      if (choice === undefined) pick.escape();
      else pick.choose(choice);
      await done;
      return parts.searchStore.getCheckedCount(key);
    };
    assert.equal(await check(undefined), 0);
    assert.equal(await check('Check 25 loaded files; more may exist'), 25);
    assert.equal(person.statusMessages.at(-1), '25 loaded files checked; more may exist.');
    assert.equal(await check('Load and check all files'), 60);
    assert.equal(person.statusMessages.at(-1), '60 files checked.');
  });

  it('asks before it loads many more files, in a dialog that does not hide, and then checks those that are loaded', async () => {
    const { person, parts, server } = stage;
    const page = (start: number): ReturnType<typeof json> =>
      json({ resources: Array.from({ length: 3000 }, (_, index) => ({ id: `f${start + index}` })) });
    server.on('POST /api/v1/files', page(0), page(3000), page(6000), json({ resources: [] }));
    const { key } = await stage.search('JGI Data Portal', '');
    const done = stage.run('dataTransfer.checkAllFiles', { kind: 'search', key });
    (await person.pick()).choose('Load and check all files');
    const dialog = await person.notice(/^6,000 files loaded/);
    assert.ok(dialog.isModal);
    dialog.dismiss();
    (await person.pick()).choose('Check 6,000 loaded files; more may exist');
    await done;
    assert.equal(parts.searchStore.getCheckedCount(key), 6000);
  });

  describe('while the search is running', () => {
    const { withProgress } = window;
    const gate = new Gate();
    let cancellation: CancellationTokenSource;
    let titles: (string | undefined)[];
    let key: string;
    let repeating: Promise<unknown>;
    let checking: Promise<unknown>;
    beforeEach(async () => {
      await stage.settings.update('search.pageSize', 25, true);
      ({ key } = await stage.search('JGI Data Portal', ''));
      cancellation = new CancellationTokenSource();
      titles = [];
      Object.assign(window, { withProgress: show });
      stage.server.holdAt(gate, 'POST /api/v1/files');
      gate.hold();
      repeating = stage.run('dataTransfer.repeatSearch', { kind: 'search', key });
      await stage.searchesUntil(([search]) => search?.isLoading === true && search.files.length === 0);
      checking = stage.run('dataTransfer.checkAllFiles', { kind: 'search', key });
    });
    afterEach(() => {
      gate.release();
      Object.assign(window, { withProgress });
    });

    /** Shows a progress notification that `cancellation` cancels. */
    const show: typeof withProgress = async (options, task) => {
      titles.push(options.title);
      return await withProgress(options, async (progress) => await task(progress, cancellation.token));
    };

    it('checks the files once they are loaded', async () => {
      gate.release();
      await repeating;
      const pick = await stage.person.pick();
      assert.deepEqual(pick.labels, ['Check 25 loaded files; more may exist', 'Load and check all files']);
      pick.choose('Check 25 loaded files; more may exist');
      await checking;
      assert.equal(stage.parts.searchStore.getCheckedCount(key), 25);
    });

    it('checks the files once they are loaded again, if the search is repeated during the prompt', async () => {
      gate.release();
      const pick = await stage.person.pick();
      await repeating;
      gate.hold();
      repeating = stage.run('dataTransfer.repeatSearch', { kind: 'search', key });
      await stage.searchesUntil(([search]) => search?.files.length === 0);
      pick.choose('Check 25 loaded files; more may exist');
      gate.release();
      await checking;
      assert.equal(stage.person.statusMessages.at(-1), '25 loaded files checked; more may exist.');
      await repeating;
    });

    it('loads all pages, even if one is already being loaded after the prompt', async () => {
      gate.release();
      const pick = await stage.person.pick();
      await repeating;
      gate.hold();
      const loading = stage.run('dataTransfer.loadMore', { kind: 'search', key });
      await stage.searchesUntil(([search]) => search?.isLoading === true);
      pick.choose('Load and check all files');
      gate.release();
      await checking;
      assert.equal(stage.person.statusMessages.at(-1), '60 files checked.');
      await loading;
    });

    it('offers only to load all files if the search was stopped before any were loaded', async () => {
      await stage.run('dataTransfer.stopSearch');
      await repeating;
      const pick = await stage.person.pick();
      assert.deepEqual(pick.labels, ['Load and check all files']);
      gate.release();
      pick.choose('Load and check all files');
      await checking;
      assert.equal(stage.person.statusMessages.at(-1), '60 files checked.');
    });

    it('checks nothing if the user cancels', async () => {
      cancellation.cancel();
      await checking;
      gate.release();
      await repeating;
      assert.deepEqual(titles, ['Waiting for the search results (All files)']);
      assert.deepEqual(
        [stage.parts.searchStore.get(key)?.files.length, stage.parts.searchStore.checked.count],
        [25, 0],
      );
    });

    it('checks nothing if the search is removed', async () => {
      await stage.run('dataTransfer.dismissSearch', { kind: 'search', key });
      await checking;
      await repeating;
      assert.deepEqual([titles.length, stage.parts.searchStore.checked.count], [1, 0]);
    });
  });
});
