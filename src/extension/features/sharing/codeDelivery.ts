import {
  env,
  l10n,
  NotebookCellData,
  NotebookCellKind,
  NotebookEdit,
  window,
  workspace,
  WorkspaceEdit,
  type NotebookEditor,
  type TextEditor,
} from 'vscode';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import type { Notifications } from '../../editor/notifications.ts';
import type { Choice, PickOptions } from '../../editor/quickInput.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getInsertLabel } from '../../words/sharedLabels.ts';

/** Code as text, and as a notebook cell. */
export interface DeliveredCode {
  readonly text: string;
  /** The text of a notebook cell. */
  readonly cellText: string;
  readonly cellLanguage: string;
}

/** Delivers code, and resolves to a confirmation for the user. */
export type DeliverCode = (code: DeliveredCode) => Promise<string>;

/**
 * Creates the choices for delivering code: copy it or, depending on the active editor, insert it at the cursor or as a
 * notebook cell.
 */
export function createDeliveryPick(placeholder = l10n.t('Select what to do with the code')): PickOptions<DeliverCode> {
  const { activeNotebookEditor: notebook, activeTextEditor: editor } = window;
  const choices: Choice<DeliverCode>[] = [{ label: l10n.t('Copy to Clipboard'), value: copyToClipboard }];
  if (notebook) choices.push(createCellChoice(notebook));
  else if (editor && editor.document.uri.scheme !== 'output') choices.push(createCursorChoice(editor));
  return { placeholder, choices };
}

/** Delivers code, and shows a confirmation. */
export async function deliverCode(
  notifications: Notifications,
  deliver: DeliverCode,
  code: DeliveredCode,
): Promise<void> {
  notifications.showStatusMessage(await deliver(code));
}

/** Copies code, with a trailing line feed, to the clipboard. Resolves to a confirmation for the user. */
export async function copyToClipboard({ text }: DeliveredCode): Promise<string> {
  await env.clipboard.writeText(`${text}\n`);
  return l10n.t('Copied the code.');
}

function createCursorChoice(editor: TextEditor): Choice<DeliverCode> {
  const description = getFileName(editor.document.uri.path);
  const insert: DeliverCode = async ({ text }) => {
    const insertion = editor.edit((edit) => edit.replace(editor.selection, `${text}\n`));
    // Rejects if the editor was closed in the meantime.
    const isDone = await insertion.then(
      (done) => done,
      () => false,
    );
    return requireInserted(isDone, description);
  };
  return { label: getInsertLabel(), description, value: insert };
}

function createCellChoice({ notebook, selection }: NotebookEditor): Choice<DeliverCode> {
  const description = getFileName(notebook.uri.path);
  const insert: DeliverCode = async ({ cellText, cellLanguage }) => {
    const edit = new WorkspaceEdit();
    const cell = new NotebookCellData(NotebookCellKind.Code, cellText, cellLanguage);
    edit.set(notebook.uri, [NotebookEdit.insertCells(Math.min(selection.end, notebook.cellCount), [cell])]);
    return requireInserted(await workspace.applyEdit(edit), description);
  };
  return { label: l10n.t('Insert Notebook Cell'), description, value: insert };
}

function getFileName(path: string): string {
  return toPlainLine(path.split('/').at(-1) ?? '');
}

function requireInserted(isInserted: boolean, name: string): string {
  if (!isInserted) throw new CommandFailure(l10n.t('Could not insert the code into {0}. Copy it instead.', name));
  return l10n.t('Inserted the code.');
}
