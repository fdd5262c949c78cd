import { commands, env, l10n, UIKind, Uri, window, workspace } from 'vscode';
import type { TransferFlow } from '../../core/flows/transferFlow.ts';
import type { LandedPlace } from '../../core/landed/landedPlace.ts';
import type { Transfer } from '../../core/model/transfer.ts';
import type { TransferStore } from '../../core/store/transferStore.ts';
import type { TransferNode } from '../../host/contributions.ts';
import { alone, pickOne, type Choice } from '../../host/quickInput.ts';
import { plainLine } from '../../host/words.ts';
import { chosenTransfer } from '../transfers/askTransfer.ts';
import type { ConnectionParts } from '../connections/connections.ts';
import { askLandedPlace } from './landedPlace.ts';

/** What this command needs. */
export interface RevealLandedParts extends ConnectionParts {
  readonly transferStore: TransferStore;
  readonly transferFlow: TransferFlow;
}

/** Shows what a transfer landed, in one of the ways that there are here; from the palette it asks of which. */
export async function revealLandedFiles(parts: RevealLandedParts, node: TransferNode | undefined): Promise<void> {
  const { transferStore, transferFlow } = parts;
  const list = (): readonly Transfer[] => transferStore.all().filter(({ id }) => id !== undefined);
  if (!node) await transferFlow.loadFinished();
  const transfer = await chosenTransfer(parts, node, list, l10n.t('Select the transfer whose files to show'));
  const place = transfer && (await askLandedPlace(parts, transfer));
  if (!place) return;
  const answer = await pickOne(alone(l10n.t('Landed Files')), {
    placeholder: plainLine(place.folder),
    choices: waysToShow(place),
  });
  if (typeof answer !== 'string') await answer.value();
}

type Way = Choice<() => Promise<unknown>>;

function waysToShow({ folder, manifest }: LandedPlace): readonly Way[] {
  const uri = Uri.file(folder);
  const command = (id: string, ...rest: unknown[]): (() => Promise<unknown>) => {
    return async () => await commands.executeCommand(id, uri, ...rest);
  };
  const hasFileManager = env.uiKind === UIKind.Desktop && env.remoteName === undefined;
  return [
    ...(workspace.getWorkspaceFolder(uri)
      ? [{ label: l10n.t('Show in the explorer'), value: command('revealInExplorer') }]
      : []),
    ...(hasFileManager ? [{ label: l10n.t('Show in the file manager'), value: command('revealFileInOS') }] : []),
    ...(manifest === undefined
      ? []
      : [{ label: l10n.t('Open manifest'), value: async () => await window.showTextDocument(Uri.file(manifest)) }]),
    {
      label: l10n.t('Open the folder in a new window'),
      value: command('vscode.openFolder', { forceNewWindow: true }),
    },
    { label: l10n.t('Copy path'), value: async () => await env.clipboard.writeText(folder) },
  ];
}
