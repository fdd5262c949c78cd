import { env, l10n } from 'vscode';
import type { MetadataFlow } from '../../core/flows/metadataFlow.ts';
import type { SearchStore } from '../../core/store/searchStore.ts';
import { CommandFailure, type CommandHandler } from '../../host/commandBoundary.ts';
import type { FileRef } from '../../host/contributions.ts';
import type { Documents } from '../../host/documents.ts';
import type { Notices } from '../../host/notices.ts';
import { remedyActions } from '../../host/signInActions.ts';
import { plainLine, plural, reasonText } from '../../host/words.ts';
import type { MetadataPanels } from '../../panels/metadataPanel.ts';
import { askFiles, filesOf, type KnownFile } from './files.ts';

/** What these commands need. */
export interface FileRowParts {
  readonly searchStore: SearchStore;
  readonly metadataFlow: MetadataFlow;
  readonly metadataPanels: MetadataPanels;
  readonly documents: Documents;
  readonly notices: Notices;
}

type FileHandler = CommandHandler<'dataTransfer.showFileMetadata'>;

/** Opens the page of a file. */
export function showFileMetadata(parts: FileRowParts): FileHandler {
  return async (argument, selection) => {
    for (const { ref, entry } of await chosen(parts, argument, selection, l10n.t('Show File Metadata'))) {
      parts.metadataPanels.show(ref, entry);
    }
  };
}

/** Opens the metadata of a file as a JSON document. */
export function showMetadataJson(parts: FileRowParts): FileHandler {
  return async (argument, selection) => {
    for (const file of await chosen(parts, argument, selection, l10n.t('Show Metadata as JSON'))) {
      const { connectionId, database, id, name } = file.ref;
      const identity = [connectionId, database, id, Date.now()].join(' ');
      await parts.documents.showJson(plainLine(name), identity, await resourceOf(parts, file));
    }
  };
}

/** Puts the ids of files on the clipboard, one a line. */
export function copyFileId(parts: FileRowParts): FileHandler {
  return async (argument, selection) => {
    const files = await chosen(parts, argument, selection, l10n.t('Copy File Id'));
    if (files.length === 0) return;
    await env.clipboard.writeText(files.map(({ ref }) => ref.id).join('\n'));
    parts.notices.done(
      files.length === 1 ? l10n.t('Copied the id.') : plural(files.length, 'Copied {0} id.', 'Copied {0} ids.'),
    );
  };
}

async function chosen(
  parts: FileRowParts,
  argument: Parameters<FileHandler>[0],
  selection: Parameters<FileHandler>[1],
  title: string,
): Promise<readonly KnownFile[]> {
  const files = filesOf(argument, selection);
  return files.length > 0 ? files : ((await askFiles(parts.searchStore, title)) ?? []);
}

async function resourceOf({ metadataFlow }: FileRowParts, { ref, entry }: KnownFile): Promise<unknown> {
  const fetched = await metadataFlow.fetchFiles(ref.connectionId, ref.database, [ref.id]);
  const [file] = fetched.files;
  if (file?.kind === 'file') return file.resource;
  if (entry) return entry.resource;
  throw new CommandFailure(couldNotFetch(ref, fetched.reason), ...remedyActions(fetched.reason, ref.connectionId));
}

function couldNotFetch(ref: FileRef, reason: Parameters<typeof reasonText>[0] | undefined): string {
  const why = reason ? reasonText(reason) : l10n.t('the service does not know it');
  return l10n.t('Could not fetch the metadata of {0}: {1}', plainLine(ref.name), why);
}
