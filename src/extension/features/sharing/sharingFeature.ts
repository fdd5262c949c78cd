import { command } from '../../editor/contributions.ts';
import { copyAsCode, copyOpeningCode } from './copyAsCode.ts';
import { exportRecords } from './exportRecords.ts';
import { copyLink } from './linkCommands.ts';

/** The commands of sharing. */
export const sharingCommands = {
  'dataTransfer.exportRecords': command(exportRecords, { takes: ['search', 'file', 'transfer'], icon: 'export' }),
  'dataTransfer.copyAsCode': command(copyAsCode, { takes: ['search', 'file', 'fileRef', 'transfer'] }),
  'dataTransfer.copyOpeningCode': command(copyOpeningCode, { takes: ['transfer'] }),
  'dataTransfer.copyLink': command(copyLink, { takes: ['search', 'file', 'fileRef', 'transfer'] }),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly sharing: typeof sharingCommands;
  }
}
