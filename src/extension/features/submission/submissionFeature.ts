import { command } from '../../editor/contributions.ts';
import { submitAgain } from './resubmission.ts';
import { transferCheckedFiles, transferFiles, transferToLastDestination } from './transferFiles.ts';
import { useDescription } from './transferInstructions.ts';

/** The commands of submission. */
export const submissionCommands = {
  'dataTransfer.transferFiles': command(transferFiles, { takes: ['file', 'fileRef'], icon: 'cloud-upload' }),
  'dataTransfer.transferCheckedFiles': command(transferCheckedFiles, {
    icon: 'cloud-upload',
    enablement: 'dataTransfer.hasSearches',
  }),
  'dataTransfer.transferToLastDestination': command(transferToLastDestination, { takes: ['file', 'fileRef'] }),
  'dataTransfer.useDescription': command(useDescription, {
    icon: 'check',
    enablement: 'dataTransfer.descriptionDrafts',
  }),
  'dataTransfer.submitAgain': command(submitAgain, { takes: ['transfer'], icon: 'redo' }),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly submission: typeof submissionCommands;
  }
}
