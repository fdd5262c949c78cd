import { extensions } from 'vscode';
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
