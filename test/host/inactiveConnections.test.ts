import assert from 'node:assert/strict';
import { transfer } from './specimens.ts';
import { Stage } from './stage.ts';

const jgi = 'JGI Data Portal';

describe('A command whose connection is not active', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithOther();
    await stage.connect('the-key');
  });
  afterEach(() => stage.close());

  const getActiveName = (): string | undefined => stage.parts.sessions.active?.connection.name;
  const connectToOther = async (): Promise<void> => {
    await stage.connect('other-key', stage.other);
    assert.equal(getActiveName(), 'Other Service');
  };

  it('is canceled instead of listing the databases of a connection that became active in the meantime', async () => {
    const done = stage.run('dataTransfer.findFilesById');
    (await stage.person.pick()).choose(jgi);
    const sources = await stage.person.pick();
    const connection = { id: 'd', name: 'Other Service', server: stage.other.address };
    await stage.parts.connectFlow.open(connection, 'other-key');
    sources.goBack();
    await done;
    await stage.person.notice(/^The command was canceled because its connection is no longer active\.$/);
  });

  it('activates the connection of a search to refine it, because only its filters are known', async () => {
    const search = await stage.search(jgi, 'JDP');
    const own = getActiveName();
    await connectToOther();
    const done = stage.run('dataTransfer.refineSearch', { kind: 'search', key: search.key });
    const box = await stage.person.textBox();
    assert.equal(getActiveName(), own);
    box.escape();
    await done;
  });

  it('opens a closed connection to offer the destinations of a recipe', async () => {
    const search = await stage.search(jgi, 'JDP');
    await stage.run('dataTransfer.disconnect');
    const done = stage.run('dataTransfer.saveAsRecipe', { kind: 'search', key: search.key });
    const destinations = await stage.person.pick();
    assert.ok(destinations.labels.length > 1, destinations.labels.join());
    destinations.escape();
    await done;
  });

  it('does not ask for confirmation to cancel a transfer that has no ID yet', async () => {
    const { id, ...submitting } = transfer('t', { state: 'submitting' });
    assert.ok(id);
    stage.parts.transferStore.put([submitting]);
    await stage.run('dataTransfer.deleteFocusedTransfer', { kind: 'transfer', key: 't' });
    const notice = await stage.person.notice(/^A transfer can't be canceled before its ID is known\.$/);
    assert.deepEqual([notice.kind, notice.isModal], ['information', false]);
  });
});
