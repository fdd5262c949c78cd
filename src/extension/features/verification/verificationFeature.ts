import type { Uri } from 'vscode';
import { runCommand } from '../../editor/commandBoundary.ts';
import { command } from '../../editor/contributions.ts';
import { openTransferredFiles } from './openTransferredFiles.ts';
import { resendFiles, showVerificationReport, verifyTransferredFiles } from './verifyTransferredFiles.ts';
import type { EditorServices } from '../services.ts';
import { VerificationPanels } from './verificationPanel.ts';

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

/** Creates the manager for the reports on verifications. */
export function createReports(
  { log, notifications, verificationHistory: history }: EditorServices,
  extensionUri: Uri,
): VerificationPanels {
  return new VerificationPanels({ extensionUri, log, notifications, history, run: runCommand });
}
