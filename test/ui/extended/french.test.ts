import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { repositoryRoot } from '../../support/editor/places.ts';
import type { EditorWindow } from '../../support/editor/window.ts';

const space = '\u00a0';

/** Resolves to the English messages that differ from their French translations. None of them should be displayed. */
async function englishTexts(): Promise<ReadonlySet<string>> {
  const bundle = await readFile(join(repositoryRoot, 'l10n', 'bundle.l10n.fr.json'), 'utf8');
  const texts = Object.entries(JSON.parse(bundle) as Record<string, string>);
  return new Set(texts.filter(([english, french]) => english !== french).map(([english]) => english));
}

describe('A user whose editor is in French', () => {
  let folder: string;
  let editor: Editor;
  let window: EditorWindow;
  let english: ReadonlySet<string>;

  before(async () => {
    english = await englishTexts();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'french-'));
    await writeFile(join(folder, 'notes.txt'), 'Notes');
    await writeFile(join(folder, 'large.bin'), Buffer.alloc(1_234_567));
    editor = await openEditor({ workspace: folder });
    window = await editor.openWindow({ language: 'fr' });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const lines = (text: string): readonly string[] => text.split('\n').map((line) => line.trim());
  async function expectNoEnglish(text: string): Promise<void> {
    assert.deepEqual(
      lines(text).filter((line) => english.has(line)),
      [],
    );
  }
  const sideBar = (): Promise<string> => window.page.locator('.part.sidebar').innerText();
  const pageText = (frame: Frame): Promise<string> => frame.locator('body').innerText();

  /** Searches a database of the local service and checks one file. */
  async function search(): Promise<void> {
    const databases = window.tree('Bases de données');
    await window.openContainer('Transfert de données');
    await databases.welcomeLink('Démarrez le service local');
    await (await databases.row(/french-/)).click();
    await window.quickInput.input('', /laissez vide/);
    const results = window.tree('Résultats');
    await results.waitFor('the files', (rows) => rows.some(({ description }) => /^[24] ·/.test(description)));
    await (await results.row('large.bin')).toggleCheck();
  }

  async function transfer(): Promise<void> {
    await search();
    await window.tree('Résultats').action('Transférer les fichiers cochés…');
    await window.quickInput.pick('Fichiers reçus', /1\/2/);
    await window.quickInput.pick('Continuer', /2\/2/);
    await window.notifications.answer('Transférer');
  }

  /**
   * Opens the views and waits until the extension has filled them, because until then they show the editor's own text.
   */
  async function openViews(): Promise<void> {
    await window.openContainer('Transfert de données');
    const welcome = window.page.locator('.part.sidebar .welcome-view-content');
    await welcome.filter({ hasText: 'Démarrez le service local' }).waitFor();
  }

  it('finds views, welcome content and commands in French', async () => {
    await openViews();
    const shown = await sideBar();
    for (const text of ['Bases de données', 'Résultats', 'Transferts'])
      assert.ok(shown.toLowerCase().includes(text.toLowerCase()), `${text} in ${shown}`);
    assert.equal(await window.hasCommand('Transfert de données: Restaurer les transferts retirés…'), true);
  });

  it('searches, and reads sizes and a page in French that declares its language to screen readers', async () => {
    await search();
    const rows = await window.tree('Résultats').rows();
    assert.match(rows.find(({ label }) => label === 'large.bin')?.description ?? '', /^1,2\sMo$/);
    await expectNoEnglish(await sideBar());
    await (await window.tree('Résultats').row('large.bin')).doubleClick();
    const page = await window.pageFrame('large.bin');
    await page.getByRole('button', { name: 'Copier l’identifiant' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'fr');
    const shown = await pageText(page);
    assert.match(shown, /Taille\s+1,2\sMo/);
    assert.match(shown, /dans .*french-/);
    await expectNoEnglish(shown);
  });

  /** Waits for a step of a quick input and asserts that it contains no English messages. */
  async function expectFrenchStep(step: RegExp): Promise<void> {
    const { title, placeholder, rows } = await window.quickInput.wait(step);
    const texts = rows.flatMap(({ label, description, detail, separator }) => [label, description, detail, separator]);
    await expectNoEnglish([title, placeholder, ...texts].join('\n'));
  }

  it('cites a file, matches a table, and sees a recipe and the list of agents in French', async () => {
    await writeFile(
      join(folder, 'monthly.transfer.json'),
      '{ "from": { "database": "Archive", "query": "csv" }, "to": { "database": "Archive" } }',
    );
    await writeFile(join(folder, 'study.csv'), 'sample,file\n1,notes.txt\n2,large.bin\n');
    await search();
    await window.command('Transfert de données: Citer…');
    await expectFrenchStep(/1\/2/);
    await window.pick('BibTeX', /1\/2/);
    await expectFrenchStep(/2\/2/);
    await window.pick('Copier', /2\/2/);
    await window.clipboard((text) => text.startsWith('@dataset{'));
    await window.command('Transfert de données: Copier la configuration MCP…');
    await expectFrenchStep(/agent/);
    await window.quickInput.cancel();
    await window.command('Transfert de données: Rapprocher un tableau…');
    await expectFrenchStep(/tableau/);
    await window.pick('study.csv');
    await expectFrenchStep(/colonne/);
    await window.quickInput.cancel();
    await window.tree('Recettes').row('monthly');
    await expectNoEnglish(await sideBar());
  });

  it('transfers, shows a notification, and reads the page of the transfer in French', async () => {
    await transfer();
    const notification = await window.notifications.wait(/Transfert réussi/);
    assert.deepEqual(
      [notification.text, notification.buttons],
      [`Transfert réussi${space}: 1 fichier vers Fichiers reçus.`, ['Afficher les fichiers', 'Afficher les détails']],
    );
    await window.statusBar('Tous les transferts sont terminés');
    const transfers = window.tree('Transferts');
    await (await transfers.row('Terminés')).expand();
    const row = await transfers.row('→ Fichiers reçus');
    await row.click();
    const page = await window.pageFrame(/Fichiers reçus/);
    await page.getByText('réussi').first().waitFor();
    const shown = await pageText(page);
    assert.match(shown, /1 sur 1 fichier\s+100\s%/);
    await expectNoEnglish(shown);
    await expectNoEnglish(await sideBar());
  });
});
