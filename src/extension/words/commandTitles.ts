import { extensions, l10n } from 'vscode';
import type { CommandId } from '../editor/contributions.ts';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string | { readonly value: string } }[];
  };
}

let titles: ReadonlyMap<string, string> | undefined;

/** Returns a command's title in the user's language, such as `Save as Recipe…`. It is in `package.nls.json`. */
export function getCommandTitle(id: CommandId): string {
  titles ??= readTitles();
  return titles.get(id) ?? id;
}

/** Returns a command's title for a dialog, without the ellipsis that announces the dialog. */
export function getDialogTitle(id: CommandId): string {
  return getCommandTitle(id).replace(/…$/, '');
}

function readTitles(): ReadonlyMap<string, string> {
  const extension = extensions.getExtension('data-transfer-explorer.data-transfer-explorer');
  const { commands } = (extension?.packageJSON as Manifest).contributes;
  // The editor also keeps the English title if it translates a title.
  return new Map(commands.map(({ command, title }) => [command, typeof title === 'string' ? title : title.value]));
}

/** Describes a running tool call, without the agent's text; undefined for an unknown tool. */
export function describeToolCall(name: string): string | undefined {
  const sentences: Readonly<Record<string, string>> = {
    list_databases: l10n.t('Listing databases'),
    search_files: l10n.t('Searching for files'),
    describe_files: l10n.t('Reading file metadata'),
    plan_transfer: l10n.t('Planning a transfer'),
    submit_transfer: l10n.t('Asking you to confirm a planned transfer'),
    transfer_status: l10n.t('Checking transfers'),
    cancel_transfer: l10n.t('Asking you to confirm a cancellation'),
    pause_transfer: l10n.t('Asking you to confirm a pause'),
    resume_transfer: l10n.t('Asking you to confirm the end of a pause'),
  };
  return sentences[name];
}
