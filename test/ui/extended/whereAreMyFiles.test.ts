import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatRecord } from '../../../src/core/transfers/recordFiles.ts';
import { getLocalConnectionId } from '../../../src/core/model/connection.ts';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { countActions, type ActionCounter } from '../../support/editor/actions.ts';
import { savedConnection, type Editor } from '../../support/editor/editor.ts';
import { getEditorDataHome, getLedgerIn } from '../../support/dataHome.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { finishTransfers } from '../../support/editor/journeySteps.ts';
import { Keyboard } from '../../support/editor/keyboard.ts';
import type { TreeView } from '../../support/editor/treeView.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike, type PublicState } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { counted } from '../../support/tally.ts';
import { getStorageFolder, machine } from '../../support/version01.ts';

const orcid = '0000-0002-1825-0097';
const kbase = 'KBase Workspace Service (KSS)';
const received = 'Received Files';
const localId = getLocalConnectionId(machine);
const minuteMs = 60_000;
const dayMs = 86_400_000;

describe('A user who looks for transferred files', () => {
  let folder: string;
  let storage: string;
  let server: FaultServer;
  let service: PublicState;
  let editor: Editor;
  let window: EditorWindow;
  let transfers: TreeView;
  let actions: ActionCounter;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'where-'));
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
    editor = await openEditor({ workspace: folder, ...savedConnection(server.address, 'the-key') });
    storage = getStorageFolder(editor.dataFolder);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function open(): Promise<void> {
    window = await editor.openWindow({
      prepare: async (page) => {
        actions = await countActions(page);
      },
    });
    transfers = window.tree('Transfers');
    await window.openContainer('Data Transfer');
  }

  /** Writes the record of a one-file transfer, as an earlier window would have. */
  async function record(id: string, more: Partial<Transfer>, order: Partial<Transfer['order']> = {}): Promise<void> {
    const { state = 'succeeded', createdAt = Date.now() - minuteMs } = more;
    const files = [{ id: 'JDP:1', name: 'notes.csv' }];
    const transfer: Transfer = {
      key: crypto.randomUUID(),
      id,
      order: { connectionId: 'saved', orcid, source: 'JGI Data Portal', destination: kbase, files, ...order },
      createdAt,
      state,
      changes: [{ state, at: createdAt }],
      ...more,
    };
    const parent = join(getLedgerIn(getEditorDataHome(editor.dataFolder)), state === 'active' ? 'running' : 'ended');
    await mkdir(parent, { recursive: true });
    const file = join(parent, `${transfer.key}.json`);
    await writeFile(file, formatRecord(transfer));
    await utimes(file, createdAt / 1000, createdAt / 1000);
  }

  /**
   * Simulates a transfer by the local service: writes its files and its record. Resolves to the folder of the files.
   */
  async function receive(id: string): Promise<string> {
    const own = join(storage, 'received', `dts-${id}`);
    await mkdir(own, { recursive: true });
    await writeFile(join(own, 'notes.csv'), 'where,they are\n');
    await writeFile(join(own, 'manifest.json'), JSON.stringify({ id, resources: [{ path: 'notes.csv', bytes: 15 }] }));
    await record(id, {}, { connectionId: localId, source: 'Sample Data', destination: received });
    return own;
  }

  counted(
    it('opens the files from a row or its page with one action, by mouse and by keyboard', async () => {
      const id = crypto.randomUUID();
      const own = await receive(id);
      await open();
      const row = await transfers.spokenRow(`→ ${received}, succeeded, 1 file`);
      actions.restart();
      await row.action('Open Transferred Files…');
      const { rows, placeholder } = await window.quickInput.wait('Transferred Files');
      assert.equal(actions.count, 1, 'from the row');
      assert.ok(placeholder.length <= 72 && placeholder.endsWith(join('received', `dts-${id}`)), placeholder);
      assert.deepEqual([rows[0]?.label, rows.at(-1)?.label], ['notes.csv', 'Open Manifest']);
      await window.pick('notes.csv', 'Transferred Files');
      assert.match(await window.editorText(), /where,they are/);

      const keyboard = new Keyboard(window.page, window.quickInput);
      await keyboard.focusView('Transfers');
      await keyboard.until('ArrowDown', ({ name }) => name.startsWith(`→ ${received}, succeeded, 1 file`));
      actions.restart();
      await keyboard.press('Enter');
      const page = await window.pageFrame(`Transfer to ${received}`);
      await page.getByText(own).waitFor();
      assert.equal(actions.count, 1, 'on the page, by keys');
      await page.getByText('Not verified yet.').waitFor();
      await page.getByRole('button', { name: 'Show Files' }).click();
      await window.quickInput.wait('Transferred Files');
      await window.quickInput.cancel();
      await page.getByRole('button', { name: 'Verify Files' }).click();
      await page.getByText(/^0 of 1 file verified/).waitFor();
    }),
    { kind: 'actions', runs: 1, actions: { 'find my files': 1 } },
  );

  it('sees the folder name of a remote transfer in a notification, with one action', async () => {
    const id = crypto.randomUUID();
    service.transfers.set(id, { orcid, status: 'active', num_files: 1, num_files_transferred: 0 });
    await record(id, { state: 'active' });
    await open();
    await transfers.waitFor('the transfer', (rows) => rows.some(({ description }) => /^0\s?%/.test(description)));
    finishTransfers(service);
    await window.notifications.wait(`Transferred 1 file to ${kbase}.`);
    actions.restart();
    await window.notifications.press(`Transferred 1 file to ${kbase}.`, 'Show Files');
    const { placeholder } = await window.quickInput.wait('Transferred Files');
    assert.equal(actions.count, 1);
    assert.equal(placeholder, `The files are at ${kbase}, in the dts-${id} folder.`);
    await window.pick('Copy Folder Name', 'Transferred Files');
    await window.clipboard((text) => text === `dts-${id}`);
    await (await transfers.spokenRow(', succeeded, 1 file')).click();
    const page = await window.pageFrame(`Transfer to ${kbase}`);
    await page.getByText(`dts-${id}`).waitFor();
  });

  it('sees the newest of 3,000 transfers without expanding a group, and finds the others by day', async () => {
    const now = Date.now();
    for (let index = 0; index < 3000; index += 1) {
      const createdAt = now - minuteMs - (index < 8 ? index : dayMs * index);
      await record(crypto.randomUUID(), { createdAt });
    }
    await open();
    await transfers.waitFor('the newest', (rows) => rows.some(({ label }) => label === 'Earlier'));
    const shown = await transfers.rows();
    assert.deepEqual(
      shown.map(({ label }) => label),
      ['Finished', ...Array<string>(5).fill('→ KBase Workspace S…'), 'Earlier'],
    );
    assert.match(shown[1]?.description ?? '', /\d.* · JGI Data Portal$/);
    await (await transfers.row('Earlier')).expand();
    await transfers.waitFor('the days', (rows) =>
      rows.some(({ label }) => label === 'Earlier today' || label === 'Yesterday'),
    );
    const [finished] = await transfers.rows();
    assert.equal(finished?.description, '3,000');
  });
});
