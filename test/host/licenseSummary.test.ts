import assert from 'node:assert/strict';
import type { SavedSearch } from '../../src/core/model/savedSearch.ts';
import { json, problem } from '../support/faultBehaviors.ts';
import type { ScriptedNotice } from '../support/scriptedWindow.ts';
import { fileEntry } from './specimens.ts';
import { Stage } from './stage.ts';

const jgi = 'JGI Data Portal';
const route = 'POST /api/v1/files/by-id';
const ids = ['JDP:000001', 'JDP:000002', 'JDP:000003'];

describe('The licenses in a summary of checked files that an earlier window saved (D59)', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    await stage.search(jgi, 'JDP:000009');
  });
  afterEach(() => stage.close());

  const restoreChecked = (): void => {
    const { searchStore, sessions } = stage.parts;
    const checked = ids.map((id) => fileEntry(id, { database: jgi, sizeBytes: 5, isSummary: true }));
    const query = { database: jgi, query: 'JDP', pageSize: 10 };
    const saved: SavedSearch = {
      key: 's',
      connectionId: sessions.active?.connection.id ?? '',
      query,
      files: [],
      checked,
      order: 'relevance',
      isCollapsed: false,
      mayHaveMore: false,
      unknownIds: [],
    };
    searchStore.restoreSaved([saved]);
  };

  const summarize = async (): Promise<ScriptedNotice> => {
    restoreChecked();
    const done = stage.run('dataTransfer.transferCheckedFiles');
    (await stage.person.pick()).choose('KBase Workspace Service (KSS)');
    (await stage.person.pick()).choose('Continue');
    const summary = await stage.person.notice(/^Transfer 3 files to /);
    summary.dismiss();
    await done;
    return summary;
  };

  it('are requested, so that a license that forbids sharing is mentioned', async () => {
    const license = 'All rights reserved';
    const resources = ids.map((id, index) => ({
      id,
      name: id,
      bytes: 7,
      ...(index === 0 && { licenses: [{ name: license }] }),
    }));
    stage.server.on(route, json({ resources }));
    const before = stage.server.requestsTo(route).length;
    const { detail } = await summarize();
    assert.match(detail, /^Licenses: All rights reserved \(1 file\), not stated \(2 files\)$/m);
    assert.match(detail, /^The license of 1 file forbids redistribution: All rights reserved$/m);
    assert.match(detail, /^Size: 21 bytes$/m);
    assert.equal(stage.server.requestsTo(route).length - before, 1);
  });

  it('are unknown for files that the service no longer finds', async () => {
    const resources = [{ id: ids[0], name: 'one', licenses: [{ name: 'CC0-1.0' }] }];
    stage.server.on(route, json({ resources }));
    const { detail } = await summarize();
    assert.match(detail, /^Licenses: CC0-1\.0 \(1 file\), unknown \(2 files\)$/m);
    assert.match(detail, /^Size: 10 bytes, plus 1 file of unknown size$/m);
  });

  it('are unknown if the service fails', async () => {
    stage.server.on(route, problem(500, 'unexpected error occurred'));
    const { detail } = await summarize();
    assert.match(detail, /^Licenses: unknown \(3 files\)$/m);
    assert.match(detail, /^Size: 15 bytes$/m);
  });
});
