import { command } from '../../editor/contributions.ts';
import { openTransferredFiles } from './openTransferredFiles.ts';
import { resendFiles, showVerificationReport, verifyTransferredFiles } from './verifyTransferredFiles.ts';

/** The commands of verification. */
export const verificationCommands = {
  'dataTransfer.revealLandedFiles': command(openTransferredFiles, { takes: ['transfer'], icon: 'folder-opened' }),
  'dataTransfer.verifyLandedFiles': command(verifyTransferredFiles, {
    takes: ['transfer', 'document'],
    icon: 'verified',
  }),
  'dataTransfer.showVerificationReport': command(showVerificationReport, { takes: ['transfer'], icon: 'output' }),
  'dataTransfer.resendFiles': command(resendFiles, { takes: ['transfer', 'document'], icon: 'redo' }),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly verification: typeof verificationCommands;
  }
}
