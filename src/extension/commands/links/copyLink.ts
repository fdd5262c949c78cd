import { env, l10n } from 'vscode';
import { formatLink, localLinkService, toLinkService, type LinkTarget } from '../../../core/model/link.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import type { Search } from '../../../core/store/searchStore.ts';
import { omit } from '../../../core/util/json.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { FileNode, FileRef } from '../../editor/contributions.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { createUnknownIdHint } from '../../notifications/nextSteps.ts';
import { requireSavedConnection } from '../connections/connectionOpener.ts';
import { getSelectedFiles } from '../files/files.ts';
import { describeUnlinkable } from '../../words/linkWords.ts';
import type { CommandServices } from '../services.ts';
import { chooseShared, isSharedRow, type SharedArgument } from '../sharedRow.ts';

/** Copies a link to a search, a file or a transfer. The link never contains the key. */
export async function copyLink(services: CommandServices, argument: SharedArgument | undefined): Promise<void> {
  const shared = await chooseShared(services, argument, l10n.t('Copy Link'));
  const target = shared && getLinkTarget(services, shared);
  if (!target) return;
  const link = formatLink(target);
  if (typeof link !== 'string') throw new CommandHint(describeUnlinkable(link));
  await env.clipboard.writeText(`${env.uriScheme}://${services.facts.id}${link}`);
  services.notifications.showStatusMessage(
    target.service === localLinkService
      ? l10n.t('Copied the link. It only works on this machine.')
      : l10n.t('Copied the link.'),
  );
}

function getLinkTarget(services: CommandServices, shared: SharedArgument): LinkTarget | undefined {
  if (isSharedRow(shared, 'search')) {
    const search = services.searchStore.get(shared.key);
    return search && toSearchTarget(services, search);
  }
  if (!isSharedRow(shared, 'transfer')) return toFileTarget(services, shared);
  const transfer = services.transferStore.get(shared.key);
  return transfer && toTransferTarget(services, transfer);
}

function toSearchTarget(services: CommandServices, { connectionId, query }: Search): LinkTarget {
  return { kind: 'search', service: getService(services, connectionId), query: omit(query, 'pageSize') };
}

function toFileTarget(services: CommandServices, argument: FileNode | FileRef): LinkTarget | undefined {
  const [file] = getSelectedFiles(argument, undefined);
  if (!file) return undefined;
  const { connectionId, database, id, name } = file.ref;
  return { kind: 'file', service: getService(services, connectionId), database, id, name };
}

function toTransferTarget(services: CommandServices, { id, key, order }: Transfer): LinkTarget {
  if (id === undefined) throw createUnknownIdHint(key);
  return { kind: 'transfer', service: getService(services, order.connectionId), id };
}

function getService(services: CommandServices, connectionId: string): string {
  if (connectionId === localConnectionId) return localLinkService;
  return toLinkService(requireSavedConnection(services, connectionId)) ?? '';
}
