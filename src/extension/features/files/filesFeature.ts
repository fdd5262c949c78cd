import { command } from '../../editor/contributions.ts';
import { copyFileId, showFileMetadata, showMetadataJson } from './fileRows.ts';

/** The commands of files. */
export const fileCommands = {
  'dataTransfer.showFileMetadata': command(showFileMetadata, { takes: ['file', 'fileRef'], icon: 'info' }),
  'dataTransfer.showMetadataJson': command(showMetadataJson, { takes: ['file', 'fileRef'], icon: 'json' }),
  'dataTransfer.copyFileId': command(copyFileId, { takes: ['file', 'fileRef'] }),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly files: typeof fileCommands;
  }
}
