import type { PublicState } from '../faultPersonality.ts';
import type { EditorWindow } from './window.ts';

/** Searches a database by words, from its row. */
export async function searchDatabase(window: EditorWindow, database: string, words: string): Promise<void> {
  await (await window.tree('Databases').row(database)).action('Search Files…');
  await window.input(words, /2\/3/);
  await window.pick('Search', /3\/3/);
}

/** Answers all questions of a transfer that was just begun, and sends it. */
export async function sendTransfer(window: EditorWindow, destination: string, description = ''): Promise<void> {
  await window.pick(destination, /1\/4/);
  await window.input(description, /2\/4/);
  await window.pick('No instructions', /3\/4/);
  await window.notifications.answer('Transfer');
}

/** Makes the server report that all files of all transfers have arrived. */
export function finishTransfers(service: PublicState): void {
  for (const transfer of service.transfers.values())
    Object.assign(transfer, { status: 'succeeded', num_files_transferred: transfer.num_files });
}
