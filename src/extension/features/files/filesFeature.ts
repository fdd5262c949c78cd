import { command } from '../../editor/contributions.ts';
import { copyFileId, showFileMetadata, showMetadataJson } from './files.ts';
import type { Uri } from 'vscode';
import type { Explorer } from '../../../core/explorer.ts';
import { createStagingLookup } from '../../../core/model/searchModel.ts';
import { systemClock as clock } from '../../../core/util/clock.ts';
import type { Lifetime } from '../../../core/util/lifetime.ts';
import { runCommand } from '../../editor/commandBoundary.ts';
import type { EditorServices } from '../services.ts';
import { RemoteFiles } from '../../editor/remoteFiles.ts';
import { FilePreviews } from './filePreviews.ts';
import { openFiles } from './openFile.ts';
import { MetadataPanels } from './metadataPanel.ts';

/** The commands of files. */
export const fileCommands = {
  'dataTransfer.showFileMetadata': command(showFileMetadata, { takes: ['file', 'fileRef'], icon: 'info' }),
  'dataTransfer.showMetadataJson': command(showMetadataJson, { takes: ['file', 'fileRef'], icon: 'json' }),
  'dataTransfer.openFile': command(openFiles, { takes: ['file', 'fileRef'], icon: 'go-to-file' }),
  'dataTransfer.copyFileId': command(copyFileId, { takes: ['file', 'fileRef'] }),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly files: typeof fileCommands;
  }
}

/** Creates the manager for the metadata pages, and the reader of files that are opened without a transfer. */
export function startFiles(
  lifetime: Lifetime,
  { copies, contentFlow, metadataFlow, searchStore, sessions }: Explorer,
  { log }: EditorServices,
  extensionUri: Uri,
): { readonly metadataPanels: MetadataPanels; readonly remoteFiles: RemoteFiles } {
  const metadataPanels = new MetadataPanels({
    extensionUri,
    log,
    clock,
    run: runCommand,
    fetchFile: (file, signal) => metadataFlow.fetchFile(file, signal),
    getStaging: (file) => createStagingLookup(searchStore.getAll())(file),
    copies,
    isConnected: (id) => sessions.get(id) !== undefined,
    previews: new FilePreviews(contentFlow),
    onDidConnect: sessions.onDidChange,
  });
  const remoteFiles = new RemoteFiles(contentFlow);
  return { metadataPanels: lifetime.track(metadataPanels), remoteFiles };
}
