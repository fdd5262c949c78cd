import { readFile } from 'node:fs/promises';
import type { PublicState } from '../faultPersonality.ts';
import type { Editor } from './editor.ts';
import { machineSettingsFile } from './preparedEditor.ts';
import { until } from './until.ts';
import type { EditorWindow } from './window.ts';

/**
 * Milliseconds after which a row is clicked again, because the editor may have redrawn it and lost the click. Long,
 * because a second click opens a new input, which would replace the first one.
 */
const pressMs = 30_000;

/** Starts a search with a click on a database's row and waits until the row of the search has the focus. */
export async function searchDatabase(window: EditorWindow, database: string, words: string): Promise<void> {
  const step = /leave empty to list all files/;
  const row = await window.tree('Databases').row(database);
  await until('the input for the search words', async () => {
    await row.click();
    return window.quickInput.wait(step, pressMs).catch(() => undefined);
  });
  await window.input(words, step);
  await waitForFocusAtSearch(window);
}

/**
 * Waits until the focus is on the row of the started search. Otherwise, the focus might move to the row later and close
 * an input that the test has opened.
 */
async function waitForFocusAtSearch({ page }: EditorWindow): Promise<void> {
  const results = page.locator('.pane:has(> .pane-header h3.title:text-is("Search Results"))');
  await results.locator('.monaco-list.element-focused .monaco-list-row.focused').first().waitFor();
}

/** Completes the steps of a transfer up to its summary and leaves the summary open. */
export async function fillTransfer(window: EditorWindow, destination: string, description = ''): Promise<void> {
  await window.pick(destination, /1\/2/);
  if (description !== '') {
    await window.pick('Description…', /2\/2/);
    await window.input(description, 'Purpose of this transfer');
  }
  await window.pick('Continue', /2\/2/);
  await window.notifications.dialog();
}

/** Completes all steps of a transfer and submits it. */
export async function sendTransfer(window: EditorWindow, destination: string, description = ''): Promise<void> {
  await fillTransfer(window, destination, description);
  await window.notifications.answer('Transfer');
}

/** Makes the server report that all transfers have succeeded and all of their files were transferred. */
export function finishTransfers(service: PublicState): void {
  for (const transfer of service.transfers.values())
    Object.assign(transfer, { status: 'succeeded', num_files_transferred: transfer.num_files });
}

/**
 * Sets the ORCID iD with the command and waits until it is in the settings file. The window doesn't show when the
 * setting has been saved.
 */
export async function setOrcid(window: EditorWindow, { dataFolder }: Editor, orcid: string): Promise<void> {
  await window.command('Data Transfer: Set ORCID iD…');
  await window.input(orcid, 'ORCID iD');
  const readSettings = (): Promise<string> => readFile(machineSettingsFile(dataFolder), 'utf8').catch(() => '');
  await until('the ORCID iD to be stored', async () => (await readSettings()).includes(orcid) || undefined);
}
