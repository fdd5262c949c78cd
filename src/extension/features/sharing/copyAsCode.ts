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
import type { CodeRequest, CodeService, MetadataCode } from '../../../core/code/codeRequest.ts';
import {
  listCodeLanguages,
  writeCode,
  writeOpeningCode,
  type CodeLanguage,
  type OpenedFiles,
} from '../../../core/code/writeCode.ts';
import { resolveDatabaseNames, type OpenConnection } from '../../../core/connections/openConnections.ts';
import { getSentInstructions, type Transfer } from '../../../core/model/transferModel.ts';
import type { Search } from '../../../core/search/searchStore.ts';
import { settlesWithin, systemClock } from '../../../core/util/clock.ts';
import type { PastVerification } from '../../../core/verification/pastVerification.ts';
import { findOpenableFiles } from '../../../core/verification/transferredFiles.ts';
import type { TransferredFolder } from '../../../core/verification/transferredFolder.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { getUserId } from '../../editor/connectionFacts.ts';
import type { FileNode, FileRef, TransferNode } from '../../editor/contributions.ts';
import { runSteps } from '../../editor/inputSteps.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { Notifications } from '../../editor/notifications.ts';
import { chooseOne, pickOne, toStepResult, type Choice, type PickOptions, type Step } from '../../editor/quickInput.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { formatNumber } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getInsertLabel } from '../../words/sharedLabels.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import { addressVariable, keyVariable } from '../connections/localServiceCommands.ts';
import { getSelectedFiles } from '../files/files.ts';
import type { CommandServices } from '../services.ts';
import { chooseTransferToOpen } from '../transfers/transferPicker.ts';
import { findTransferredFiles } from '../verification/transferredFolders.ts';
import { chooseShared, isSharedRow, type SharedArgument } from './sharedRow.ts';

/** Code as text, and as a notebook cell. */
interface DeliveredCode {
  readonly text: string;
  /** The text of a notebook cell. */
  readonly cellText: string;
  readonly cellLanguage: string;
}

/** Delivers code, and resolves to a confirmation for the user. */
type DeliverCode = (code: DeliveredCode) => Promise<string>;

/** Creates the choices for code: copy or, in some editors, insert at the cursor or as a notebook cell. */
function createDeliveryPick(placeholder = l10n.t('Select what to do with the code')): PickOptions<DeliverCode> {
  const { activeNotebookEditor: notebook, activeTextEditor: editor } = window;
  const choices: Choice<DeliverCode>[] = [{ label: l10n.t('Copy to Clipboard'), value: copyToClipboard }];
  if (notebook) choices.push(createCellChoice(notebook));
  else if (editor && editor.document.uri.scheme !== 'output') choices.push(createCursorChoice(editor));
  return { placeholder, choices };
}

async function deliverCode(notifications: Notifications, deliver: DeliverCode, code: DeliveredCode): Promise<void> {
  notifications.showStatusMessage(await deliver(code));
}

/** Copies code, with a trailing line feed, to the clipboard. Resolves to a confirmation for the user. */
async function copyToClipboard({ text }: DeliveredCode): Promise<string> {
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

/** The user's answers so far. */
interface Draft {
  requests: readonly CodeRequest[];
  language: CodeLanguage;
  deliver: DeliverCode;
}

/**
 * Generates code that sends the requests for a search, files or a transfer, and copies or inserts the code. The code
 * reads the key from an environment variable and never contains the key itself.
 */
export async function copyAsCode(
  services: CommandServices,
  argument: SharedArgument | undefined,
  selection: readonly SharedArgument[] | undefined,
): Promise<void> {
  const title = getDialogTitle('dataTransfer.copyAsCode');
  const chosen = await chooseShared(services, argument, title);
  const source = chosen && getCodeSource(services, chosen, selection);
  const session = source && (await getOrOpenConnection(services, source.connectionId));
  if (!session) return;
  const service = toCodeService(session);
  const draft = await askDraft(title, service, source.variants);
  if (!draft) return;
  const requests = await resolveDatabaseNames(session, draft.requests);
  await deliverCode(
    services.notifications,
    draft.deliver,
    createCode(draft.language, writeCode(draft.language, service, requests)),
  );
}

function toCodeService({ connection, service }: OpenConnection): CodeService {
  const { id, scheme = 'base64', apiKeyVariable = keyVariable } = connection;
  const { address } = service;
  if (id === localConnectionId) return { address, scheme, keyVariable, addressVariable };
  return { address, scheme, keyVariable: apiKeyVariable };
}

async function askDraft(
  title: string,
  service: CodeService,
  variants: CodeSource['variants'],
): Promise<Draft | undefined> {
  const draft: Draft = { requests: variants[0] ?? [], language: 'curl', deliver: copyToClipboard };
  const delivery = createDeliveryPick();
  const isDone = await runSteps(title, [
    ...(variants.length > 1
      ? [
          createStep(
            () => createVariantPick(variants),
            (requests) => (draft.requests = requests),
          ),
        ]
      : []),
    createStep(
      () => createLanguagePick(service, draft.requests),
      (language) => (draft.language = language),
    ),
    ...(delivery.choices.length > 1
      ? [
          createStep(
            () => delivery,
            (deliver) => (draft.deliver = deliver),
          ),
        ]
      : []),
  ]);
  return isDone ? draft : undefined;
}

function createStep<T>(createPick: () => PickOptions<T>, store: (value: T) => void): Step {
  return async (position) => toStepResult(await pickOne(position, createPick()), store);
}

function createVariantPick(variants: CodeSource['variants']): PickOptions<readonly CodeRequest[]> {
  const choices = variants.map((value) => ({
    label: value[0]?.kind === 'transfer' ? l10n.t('Submission of this transfer') : l10n.t('Status of this transfer'),
    value,
  }));
  return { placeholder: l10n.t('Select the request to copy as code'), choices };
}

function createLanguagePick(service: CodeService, requests: readonly CodeRequest[]): PickOptions<CodeLanguage> {
  const all: Readonly<Record<CodeLanguage, Choice<CodeLanguage>>> = {
    python: { label: l10n.t('Python'), description: l10n.t('with {0}', 'dtspy'), value: 'python' },
    curl: { label: l10n.t('curl'), description: l10n.t('for bash and sh'), value: 'curl' },
    r: { label: 'R', description: l10n.t('with {0}', 'httr2'), value: 'r' },
  };
  return {
    placeholder: l10n.t('Select a language. The code reads the API key from {0}.', service.keyVariable),
    choices: listCodeLanguages(service, requests).map((language) => all[language]),
  };
}

/** Returns code as text and as a notebook cell. Code for curl becomes a `%%bash` cell for a Python notebook. */
function createCode(language: CodeLanguage, text: string): DeliveredCode {
  if (language === 'r') return { text, cellText: text, cellLanguage: 'r' };
  return { text, cellText: language === 'curl' ? `%%bash\n${text}` : text, cellLanguage: 'python' };
}

/** The requests for which code is generated, and their connection. */
interface CodeSource {
  readonly connectionId: string;
  /** Alternatives for the user to choose from. Each has at least one request. */
  readonly variants: readonly (readonly CodeRequest[])[];
}

/** Returns the requests for a row or for the selected files; undefined if the row no longer exists. */
function getCodeSource(
  services: CommandServices,
  argument: SharedArgument,
  selection: readonly SharedArgument[] | undefined,
): CodeSource | undefined {
  if (!isSharedRow(argument, 'search') && !isSharedRow(argument, 'transfer'))
    return getFileSource(services, argument, selection?.filter(isFile));
  if (argument.kind === 'transfer') {
    const transfer = services.transferStore.get(argument.key);
    return transfer && getTransferSource(transfer);
  }
  const search = services.searchStore.get(argument.key);
  return search && getSearchSource(services, search);
}

function isFile(argument: SharedArgument): argument is FileNode | FileRef {
  return !isSharedRow(argument, 'search') && !isSharedRow(argument, 'transfer');
}

function getSearchSource({ settings }: CommandServices, { connectionId, query: given }: Search): CodeSource {
  const { pageSize, ids, query, ...others } = given;
  const user = { database: given.database, orcid: getUserId(settings, connectionId) };
  const request: CodeRequest = ids
    ? { kind: 'metadata', ...user, ids }
    : { kind: 'search', ...others, orcid: user.orcid, query, limit: pageSize };
  return { connectionId, variants: [[request]] };
}

function getFileSource(
  { settings }: CommandServices,
  argument: FileNode | FileRef,
  selection: readonly (FileNode | FileRef)[] | undefined,
): CodeSource {
  const refs = getSelectedFiles(argument, selection).map(({ ref }) => ref);
  const { connectionId } = argument;
  if (refs.some((ref) => ref.connectionId !== connectionId))
    throw new CommandHint(l10n.t('Select files from one service only.'));
  const databases = [...new Set(refs.map(({ database }) => database))];
  const orcid = getUserId(settings, connectionId);
  const requests = databases.map((database): MetadataCode => {
    const ids = refs.filter((ref) => ref.database === database).map(({ id }) => id);
    return { kind: 'metadata', database, orcid, ids: [...new Set(ids)] };
  });
  return { connectionId, variants: [requests] };
}

/** Returns a transfer's requests: the status if its ID is known, the submission unless started elsewhere. */
function getTransferSource({ id, order, startedElsewhere }: Transfer): CodeSource {
  const { connectionId, orcid, source, destination, files, description } = order;
  const instructions = getSentInstructions(order);
  const submission: CodeRequest = {
    kind: 'transfer',
    orcid,
    source,
    destination,
    ids: files.map((file) => file.id),
    ...(description !== undefined && { description }),
    ...(instructions && { instructions }),
  };
  const status: CodeRequest[][] = id === undefined ? [] : [[{ kind: 'status', id }]];
  return { connectionId, variants: startedElsewhere ? status : [...status, [submission]] };
}

/** Maximum number of files that the code opens. */
const maxFiles = 1000;

/** Time limit in milliseconds for listing the files. If the limit is exceeded, the command fails. */
const listLimitMs = 10_000;

/**
 * Generates Python code that opens a transfer's files according to their formats, and copies or inserts the code. If
 * the transfer was verified, the code omits damaged files.
 */
export async function copyOpeningCode(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const transfer = await chooseTransferToOpen(services, node);
  const folder = transfer && (await findTransferredFiles(services, transfer));
  if (!folder) return;
  const files = await findOpenedFiles(folder, await services.verificationHistory.get(transfer.key));
  if (files.paths.length === 0) throw new CommandHint(l10n.t('This transfer has no intact files to open.'));
  await deliverOpeningCode(services, files);
}

async function deliverOpeningCode({ notifications }: CommandServices, files: OpenedFiles): Promise<void> {
  const text = writeOpeningCode(files);
  const delivery = createDeliveryPick(describeLimit(files));
  const answer = await chooseOne(getDialogTitle('dataTransfer.copyOpeningCode'), delivery);
  if (answer === undefined) return;
  await deliverCode(notifications, answer, { text, cellText: text, cellLanguage: 'python' });
}

function describeLimit({ omittedCount }: OpenedFiles): string | undefined {
  if (omittedCount === 0) return undefined;
  const [listed, all] = [maxFiles, maxFiles + omittedCount].map(formatNumber);
  return l10n.t('Select what to do with the code. It opens only the first {0} of {1} files.', listed ?? '', all ?? '');
}

function toFileVerification(past: PastVerification): OpenedFiles['verification'] {
  const { at, fileCount, intactCount, damaged, unverifiedCount = 0 } = past;
  const areIntact = damaged !== undefined || intactCount + unverifiedCount === fileCount;
  return { at, areIntact, ...(unverifiedCount > 0 && { unverifiedCount }) };
}

/** Finds the files to open. Throws a {@link CommandFailure} if that takes long, as with a silent disk. */
async function findOpenedFiles(folder: TransferredFolder, past: PastVerification | undefined): Promise<OpenedFiles> {
  const cancellation = new AbortController();
  const finding = findOpenableFiles(folder, past, { limit: maxFiles, signal: cancellation.signal });
  if (!(await settlesWithin(systemClock, listLimitMs, finding))) {
    cancellation.abort();
    throw new CommandFailure(l10n.t('Could not list the files in {0} within 10 seconds.', toPlainLine(folder.folder)));
  }
  return { ...(await finding), verification: past && toFileVerification(past) };
}
