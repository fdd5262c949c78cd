import assert from 'node:assert/strict';
import { fileEntry, transfer } from './specimens.ts';
import { Stage } from './stage.ts';

describe('The sources of an export', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
  });
  afterEach(() => stage.close());

  it('are distinguished by database, file count and time, without repeating the file count', async () => {
    const { searchStore, transferFlow } = stage.parts;
    for (const database of ['Beta', 'Alpha']) {
      searchStore.open(database, 'c', { database, query: 'corn', pageSize: 2 });
      searchStore.update(database, {
        files: [fileEntry(database, { database })],
        isLoading: false,
        mayHaveMore: false,
      });
    }
    await transferFlow.save(transfer('exported', { state: 'succeeded' }));
    const done = stage.run('dataTransfer.exportRecords');
    const sources = await stage.person.pick();
    const texts = sources.items.map(({ label, description = '' }) => `${label} ${description}`);
    assert.deepEqual(texts.slice(0, 2), ['“corn” Alpha · 1 file', '“corn” Beta · 1 file']);
    assert.match(texts[2] ?? '', /^2 files to Beta [^,]+, \d.*[AP]M$/);
    sources.escape();
    await done;
  });
});
