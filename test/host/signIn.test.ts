import assert from 'node:assert/strict';
import { problem } from '../support/faultBehaviors.ts';
import type { PublicState } from '../support/faultPersonality.ts';
import { createSearchTree, formatRow } from './specimens.ts';
import { orcid, Stage } from './stage.ts';

const kss = 'KBase Workspace Service (KSS)';

describe('A sign-in that the service rejects (D44)', () => {
  let stage: Stage;
  let service: PublicState;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    service = stage.service;
  });
  afterEach(() => stage.close());

  const rows = (): string[] => {
    const tree = createSearchTree(stage.parts.searchStore);
    const [root] = tree.getChildren();
    const words = root ? tree.getChildren(root).map((node) => formatRow(tree.getTreeItem(node))) : [];
    tree.dispose();
    return words;
  };

  it('reports an ORCID iD unknown to the destination, offers to set another, and still trusts the key', async () => {
    service.knownOrcids = new Set();
    await stage.search('JGI Data Portal', 'JDP:000001');
    await stage.transferAll(kss);
    const notice = await stage.person.notice(/^Could not transfer/);
    assert.equal(
      notice.message,
      `Could not transfer 1 file to ${kss}: the service rejected the ORCID iD: ` +
        `invalid ORCID '${orcid}': KBase user not found for ORCID ${orcid}`,
    );
    assert.deepEqual(notice.buttons, ['Show Details', 'Set ORCID iD…']);
    notice.press('Set ORCID iD…');
    const box = await stage.person.textBox();
    assert.equal(box.value, orcid);
    box.escape();
    assert.equal(stage.parts.keys.getStatus(stage.parts.sessions.active?.connection.id ?? ''), 'good');
  });

  it('is shown in the row of a search as a rejected sign-in, not as a rejected key, if the key worked before (D28)', async () => {
    stage.server.on('POST /api/v1/files', problem(401, 'KBase Auth error: 401 [x](command:y)'));
    await stage.search('JGI Data Portal', 'x');
    const text = 'The service rejected the sign-in: KBase Auth error: 401 [x](command:y)';
    assert.deepEqual(rows(), [text, 'Retry', 'Set API Key…', 'Refine Search…']);
  });

  it('offers only Retry if the sign-in service is down', async () => {
    service.isSignInDown = true;
    await stage.search('JGI Data Portal', 'x');
    assert.deepEqual(rows(), [
      "The service couldn't check the API key: KBase Auth error: 500",
      'Retry',
      'Refine Search…',
    ]);
  });

  it('offers to set the key of another account if this one has no ORCID iD', async () => {
    service.account = 'withEmptyOrcid';
    const [connection] = stage.parts.settings.connections;
    assert.ok(connection);
    await stage.run('dataTransfer.refreshDatabases', { kind: 'connection', id: connection.id });
    const notice = await stage.person.notice(
      /^Could not refresh DTS prototype: the account for this API key has no ORCID iD/,
    );
    assert.match(notice.message, /The DTS client has no associated ORCID$/);
    assert.deepEqual(notice.buttons, ['Retry', 'Set API Key…', 'Show Log']);
    await stage.run('dataTransfer.testConnection', { kind: 'connection', id: connection.id });
    const test = await stage.person.notice(/ Failed step: /);
    assert.match(test.detail, /^API key: FAILED – the account for this API key has no ORCID iD: The DTS client/m);
    assert.match(test.detail, /Link an ORCID iD to your account/);
    assert.deepEqual(test.buttons, ['Test Again', 'Set API Key…']);
  });
});
