import { basename, dirname } from 'node:path';
import { l10n, Uri } from 'vscode';
import { findLanded, type LandedPlace } from '../../core/landed/landedPlace.ts';
import type { Session } from '../../core/flows/sessions.ts';
import type { Database } from '../../core/model/database.ts';
import { isLoopback } from '../../core/model/loopback.ts';
import type { Transfer } from '../../core/model/transfer.ts';
import { landingFolderOf } from '../../core/util/landedNames.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import { localConnectionId } from '../../host/machine.ts';
import type { Notices } from '../../host/notices.ts';
import { pickFolder } from '../../host/openDialogs.ts';
import { listText, plainLine } from '../../host/words.ts';
import { openBeside, type ConnectionParts } from '../connections/connections.ts';

/**
 * Where a transfer landed: in the folder that its destination is on this machine, in the one that the person has shown
 * before, or in the one that they show now, which is remembered (D24). Undefined when they left.
 */
export async function askLandedPlace(parts: ConnectionParts, transfer: Transfer): Promise<LandedPlace | undefined> {
  const { id } = transfer;
  if (id === undefined) throw new CommandFailure(l10n.t('The service has given this transfer no id.'));
  const looked: string[] = [];
  for (const folder of await knownFolders(parts, transfer)) {
    const sought = await findLanded(folder, id);
    if (sought.found) return sought.found;
    looked.push(...sought.looked);
  }
  if (looked.length > 0 && !(await wantsAnother(parts.notices, id, looked))) return undefined;
  return await askPlace(parts, transfer, id);
}

async function askPlace(parts: ConnectionParts, transfer: Transfer, id: string): Promise<LandedPlace | undefined> {
  for (;;) {
    const title = l10n.t('Select the folder {0}, or the one that it is in', landingFolderOf(plainLine(id)));
    const picked = await pickFolder(title);
    if (!picked) return undefined;
    const { found, looked } = await findLanded(pathOf(picked), id);
    if (found) {
      await remember(parts, transfer, found.folder, id);
      return found;
    }
    if (!(await wantsAnother(parts.notices, id, looked))) return undefined;
  }
}

/** The path of a file or folder of this machine. Throws a sentence for any other. */
export function pathOf(uri: Uri): string {
  if (uri.scheme === 'file') return uri.fsPath;
  throw new CommandFailure(
    l10n.t('{0} is not on this machine, so it cannot be checked.', plainLine(uri.toString(true))),
  );
}

async function knownFolders(parts: ConnectionParts, transfer: Transfer): Promise<readonly string[]> {
  const { connectionId, destination } = transfer.order;
  const folders = [await servedFolder(parts, transfer), await parts.memory.landedFolder(connectionId, destination)];
  return folders.filter((folder) => folder !== undefined);
}

/** The folder that the destination is. */
async function servedFolder(parts: ConnectionParts, { order }: Transfer): Promise<string | undefined> {
  const { sessions } = parts;
  if (order.connectionId === localConnectionId && !sessions.get(localConnectionId)) {
    await openBeside(parts, localConnectionId);
  }
  const session = sessions.get(order.connectionId);
  return session && servedFolderOf(session, (await session.client.databases()).value, order.destination);
}

/** The folder of this machine that a database is; only a service of this machine can name one. */
export function servedFolderOf(
  { service }: Session,
  databases: readonly Database[],
  wanted: string,
): string | undefined {
  if (!isLoopback(new URL(service.address).hostname)) return undefined;
  const address = databases.find(({ name }) => name === wanted)?.url ?? '';
  return address.startsWith('file:') ? Uri.parse(address).fsPath : undefined;
}

/** The next transfer to this database lands in a folder beside this one. */
async function remember({ memory }: ConnectionParts, { order }: Transfer, folder: string, id: string): Promise<void> {
  if (basename(folder) !== landingFolderOf(id)) return;
  await memory.rememberLandedFolder(order.connectionId, order.destination, dirname(folder));
}

/** Says where was looked; true when the person wants to show another folder. */
async function wantsAnother(notices: Notices, id: string, looked: readonly string[]): Promise<boolean> {
  const places = listText(looked.map(plainLine));
  const text = l10n.t('The files of transfer {0} are not there. Looked for: {1}', plainLine(id), places);
  const another = l10n.t('Select Folder…');
  return (await notices.offer('warning', text, another)) === another;
}
