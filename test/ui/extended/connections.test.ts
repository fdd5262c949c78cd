import assert from 'node:assert/strict';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { json } from '../../support/faultBehaviors.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';

const orcid = '0000-0002-1825-0097';

describe('A user with several services and windows', () => {
  let editor: Editor;
  let one: FaultServer;
  let other: FaultServer;

  beforeEach(async () => {
    one = await FaultServer.start();
    other = await FaultServer.start();
    publicLike(one, 'the-key');
    publicLike(other, 'other-key');
    other.on('GET /', json({ name: 'Other Service', version: '2.0' }));
    editor = await openEditor({ needsFullBrowser: true });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await one.stop();
    await other.stop();
  });

  /** Connects to a service. The extension prompts for the ORCID iD only when connecting to the first service. */
  async function connect(window: EditorWindow, address: string, key: string, isFirst = true): Promise<void> {
    const steps = isFirst ? 3 : 2;
    await window.command('Data Transfer: Connect to a Service…');
    await window.quickInput.input(address, new RegExp(`1/${steps}`));
    await window.quickInput.input(key, new RegExp(`2/${steps}`));
    if (isFirst) await window.quickInput.input(orcid, /^Found .+ databases\. Your ORCID iD/);
    await window.notifications.wait(/^Connected to/);
    await window.notifications.clear();
  }

  const shows = async (window: EditorWindow, name: string, state: string): Promise<void> => {
    await window.tree('Databases').waitFor(`${name}, ${state}`, ([first]) => first?.spoken === `${name}, ${state}`);
  };

  /** Disables focus emulation: in headless browsers, every window has the focus, but here only the front one should. */
  async function focusIsReal({ page }: EditorWindow): Promise<void> {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setFocusEmulationEnabled', { enabled: false });
  }

  it('switches connections in the first row of the tree, and removes and restores one', async () => {
    const window = await editor.openWindow();
    await connect(window, one.address, 'the-key');
    await connect(window, other.address, 'other-key', false);
    await window.openContainer('Data Transfer');
    await shows(window, 'Other Service', 'connected');
    await (await window.tree('Databases').row('Other Service')).click();
    await window.quickInput.pick('DTS prototype');
    await shows(window, 'DTS prototype', 'connected');
    await (await window.tree('Databases').row('DTS prototype')).menu('Remove Connection…');
    await window.notifications.wait('Removed DTS prototype and its saved key.');
    assert.match(await window.tree('Databases').welcome(), /Connect to a service/);
    await window.notifications.press('Removed DTS prototype', 'Undo');
    await shows(window, 'DTS prototype', 'connected');
  });

  it('changes and removes a key in one window, and the other window follows when it gains focus', async () => {
    const person = await editor.newPerson();
    const first = await person.openWindow();
    await connect(first, one.address, 'the-key');
    const second = await person.openWindow();
    await second.openContainer('Data Transfer');
    await shows(second, 'DTS prototype', 'connected');
    await second.tree('Databases').focus();
    for (const window of [first, second]) await focusIsReal(window);

    await first.page.bringToFront();
    publicLike(one, 'new-key');
    await first.command('Data Transfer: Set API Key…');
    await first.quickInput.input('new-key', /Developer token/);
    await first.statusBar('API key accepted.');
    await second.page.bringToFront();
    await second.notifications.wait('The API key for DTS prototype was changed in another window.');
    await second.reload();
    await second.openContainer('Data Transfer');
    await shows(second, 'DTS prototype', 'connected');
    const token = Buffer.from('new-key').toString('base64');
    assert.equal(one.requests.at(-1)?.headers.authorization, `Bearer ${token}`);

    await first.page.bringToFront();
    await first.openContainer('Data Transfer');
    await (await first.tree('Databases').row('DTS prototype')).menu('Remove Connection…');
    await first.notifications.wait('Removed DTS prototype and its saved key.');
    await second.page.bringToFront();
    assert.match(await second.tree('Databases').welcome(), /Connect to a service/);
  });
});
