import { l10n } from 'vscode';

/**
 * Describes a running tool call for the user. Contains no text from the agent. Returns undefined for an unknown tool.
 */
export function describeToolCall(name: string): string | undefined {
  const sentences: Readonly<Record<string, string>> = {
    list_databases: l10n.t('Listing databases'),
    search_files: l10n.t('Searching for files'),
    describe_files: l10n.t('Reading file metadata'),
    plan_transfer: l10n.t('Planning a transfer'),
    submit_transfer: l10n.t('Asking you to confirm a planned transfer'),
    transfer_status: l10n.t('Checking transfers'),
    cancel_transfer: l10n.t('Asking you to confirm a cancellation'),
  };
  return sentences[name];
}
