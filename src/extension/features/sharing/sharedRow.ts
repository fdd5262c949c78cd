import { l10n } from 'vscode';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { FileNode, FileRef, SearchNode, TransferNode } from '../../editor/contributions.ts';
import { chooseOne, type Choice } from '../../editor/quickInput.ts';
import { createSearchStep } from '../../editor/nextSteps.ts';
import { createSearchChoice, getNoSearchText } from '../search/searches.ts';
import type { CommandServices } from '../services.ts';
import { createTransferChoice } from '../transfers/transferPicker.ts';

/** A row or file for which a command generates code or a link. */
export type SharedArgument = SearchNode | FileNode | FileRef | TransferNode;

type SharedRow = SearchNode | TransferNode;

/** Returns the argument, or a search or transfer that the user picks; undefined if the user cancels. */
export async function chooseShared(
  { searchStore, transferStore }: CommandServices,
  argument: SharedArgument | undefined,
  title: string,
): Promise<SharedArgument | undefined> {
  if (argument) return argument;
  const choices = [
    ...searchStore.getAll().map((search) => toRowChoice(createSearchChoice(search), 'search')),
    ...transferStore.getAll().map((transfer) => toRowChoice(createTransferChoice(transfer), 'transfer')),
  ];
  if (choices.length === 0) throw new CommandHint(getNoSearchText(), createSearchStep());
  return await chooseOne(title, {
    placeholder: l10n.t('Select a search or a transfer'),
    choices,
  });
}

function toRowChoice(choice: Choice<string>, kind: SharedRow['kind']): Choice<SharedRow> {
  return { ...choice, value: { kind, key: choice.value } };
}

/** Returns true if the argument is a row of the given kind. */
export function isSharedRow<K extends SharedRow['kind']>(
  argument: SharedArgument,
  kind: K,
): argument is Extract<SharedRow, { readonly kind: K }> {
  return 'kind' in argument && argument.kind === kind;
}
