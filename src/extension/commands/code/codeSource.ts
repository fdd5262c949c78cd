import { l10n } from 'vscode';
import type { CodeRequest, MetadataCode } from '../../../core/code/codeRequest.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import type { Search } from '../../../core/store/searchStore.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { FileNode, FileRef } from '../../editor/contributions.ts';
import { getUserId } from '../../editor/connectionFacts.ts';
import { getSelectedFiles } from '../files/files.ts';
import type { CommandServices } from '../services.ts';
import { isSharedRow, type SharedArgument } from '../sharedRow.ts';

/** The requests for which code is generated, and their connection. */
export interface CodeSource {
  readonly connectionId: string;
  /** Alternatives for the user to choose from. Each has at least one request. */
  readonly variants: readonly (readonly CodeRequest[])[];
}

/** Returns the requests for a row or for the selected files; undefined if the row no longer exists. */
export function getCodeSource(
  services: CommandServices,
  argument: SharedArgument,
  selection: readonly SharedArgument[] | undefined,
): CodeSource | undefined {
  if (!isSharedRow(argument, 'search') && !isSharedRow(argument, 'transfer'))
    return getFileSource(services, argument, selection?.filter(isFile));
  if (argument.kind === 'transfer') {
    const transfer = services.transferStore.get(argument.key);
    return transfer && getTransferSource(transfer);
  }
  const search = services.searchStore.get(argument.key);
  return search && getSearchSource(services, search);
}

function isFile(argument: SharedArgument): argument is FileNode | FileRef {
  return !isSharedRow(argument, 'search') && !isSharedRow(argument, 'transfer');
}

function getSearchSource({ settings }: CommandServices, { connectionId, query: given }: Search): CodeSource {
  const { pageSize, ids, query, ...others } = given;
  const user = { database: given.database, orcid: getUserId(settings, connectionId) };
  const request: CodeRequest = ids
    ? { kind: 'metadata', ...user, ids }
    : { kind: 'search', ...others, orcid: user.orcid, query, limit: pageSize };
  return { connectionId, variants: [[request]] };
}

function getFileSource(
  { settings }: CommandServices,
  argument: FileNode | FileRef,
  selection: readonly (FileNode | FileRef)[] | undefined,
): CodeSource {
  const refs = getSelectedFiles(argument, selection).map(({ ref }) => ref);
  const { connectionId } = argument;
  if (refs.some((ref) => ref.connectionId !== connectionId))
    throw new CommandHint(l10n.t('Select files from one service only.'));
  const databases = [...new Set(refs.map(({ database }) => database))];
  const orcid = getUserId(settings, connectionId);
  const requests = databases.map((database): MetadataCode => {
    const ids = refs.filter((ref) => ref.database === database).map(({ id }) => id);
    return { kind: 'metadata', database, orcid, ids: [...new Set(ids)] };
  });
  return { connectionId, variants: [requests] };
}

/**
 * Returns a transfer's requests: the status request if the transfer's ID is known, and the submission unless the
 * transfer was started elsewhere.
 */
function getTransferSource({ id, order, startedElsewhere }: Transfer): CodeSource {
  const { connectionId, orcid, source, destination, files, description, instructions } = order;
  const submission: CodeRequest = {
    kind: 'transfer',
    orcid,
    source,
    destination,
    ids: files.map((file) => file.id),
    ...(description !== undefined && { description }),
    ...(instructions && { instructions }),
  };
  const status: CodeRequest[][] = id === undefined ? [] : [[{ kind: 'status', id }]];
  return { connectionId, variants: startedElsewhere ? status : [...status, [submission]] };
}
