import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import type { TransferFile, TransferState } from '../../core/model/transferModel.ts';
import {
  isTransferHostMessage,
  type PageTransfer,
  type TransferHostMessage,
  type TransferIntent,
  type TransferSnapshot,
} from '../messages/transferMessages.ts';
import { DescriptionSection } from '../shared/markdown.tsx';
import { ActionGroup, Icon, NoteBox, ServerText } from '../shared/elements.tsx';
import { filterActions } from '../shared/note.ts';
import type { PageDefinition } from '../shared/pageApp.tsx';
import { usePage } from '../shared/pageContext.ts';
import { shortenText } from '../shared/text.ts';
import { FileStatesSection } from './fileStatesSection.tsx';
import {
  FactStrip,
  FilesSection,
  InstructionsSection,
  LicensesSection,
  MessageSection,
  PlaceSection,
  listFileActions,
} from './transferSections.tsx';
import { HistorySection, ProgressChart, ProgressSection, StatusBadge } from './transferStatus.tsx';
import { listTransferNotes } from './transferNotes.ts';
import { describeStartedElsewhere } from '../../core/words/sharedSentences.ts';

/** States in which the server's message is shown above the progress, because users open the page to read it. */
const reasonStates: ReadonlySet<TransferState> = new Set(['failed', 'unknown']);

const maxNameLength = 300;
const maxStateLength = 40;

interface PageState {
  readonly snapshot: TransferSnapshot;
  /** The display names of the states. */
  readonly states: Readonly<Record<string, string>>;
  /** All requested files; absent until the host has sent them. */
  readonly allFiles?: readonly TransferFile[];
  /** The host's time minus the page's time, in milliseconds. */
  readonly clockOffsetMs: number;
}

/** The transfer page. */
export const transferScreen: PageDefinition<TransferHostMessage, PageState, TransferIntent> = {
  isMessage: isTransferHostMessage,
  update: updateState,
  getSubject: ({ snapshot }) => snapshot.key,
  getSavedState: ({ snapshot: { key, shared } }) => ({ key, shared }),
  describeChange: ({ snapshot: before }, { snapshot: now }) => describeChange(before.transfer, now.transfer),
  isBusy: () => false,
  render: (state, send) => {
    const { transfer } = state.snapshot;
    return transfer ? <TransferScreen {...state} transfer={transfer} send={send} /> : <UnknownTransfer />;
  },
};

function updateState(state: PageState | undefined, message: TransferHostMessage): PageState | undefined {
  if (message.type === 'files') return state && { ...state, allFiles: message.files };
  const { snapshot } = message;
  const states = message.type === 'start' ? message.states : (state?.states ?? {});
  return { ...state, states, snapshot, clockOffsetMs: snapshot.now - Date.now() };
}

/**
 * Describes the new status for a screen reader; undefined if the status is unchanged. Counts and messages change too
 * often to be announced.
 */
function describeChange(before: PageTransfer | undefined, now: PageTransfer | undefined): string | undefined {
  if (before === undefined || now === undefined || before.statusText === now.statusText) return undefined;
  if (now.startedElsewhere) return l10n.t('Transfer status: {0}.', now.statusText);
  const destination = shortenText(now.order.destination, maxNameLength);
  return l10n.t('Status of the transfer to {0}: {1}.', destination, now.statusText);
}

interface ScreenProps extends PageState {
  readonly transfer: PageTransfer;
  readonly send: (intent: TransferIntent) => void;
}

function TransferScreen({ transfer, snapshot, states, allFiles, clockOffsetMs, send }: ScreenProps): VNode {
  const getNow = (): number => Date.now() + clockOffsetMs;
  const now = getNow();
  const toStateText = (state: TransferState): string => getStateText(transfer, state, states);
  const isReason = reasonStates.has(transfer.state);
  // The note about a suspension includes the message.
  const isInNote = transfer.state === 'inactive';
  return (
    <>
      <Header transfer={transfer} isShared={snapshot.shared ?? false} send={send} />
      {listTransferNotes(transfer, toStateText(transfer.state), usePage().format).map((note) => (
        <NoteBox key={note.key} note={note} onAction={(type) => send({ type })} />
      ))}
      <PlaceSection transfer={transfer} send={send} />
      {isReason && <MessageSection transfer={transfer} />}
      <ProgressSection transfer={transfer} />
      <FileStatesSection transfer={transfer} />
      <FactStrip transfer={transfer} getNow={getNow} />
      <ProgressChart transfer={transfer} now={now} />
      {!isReason && !isInNote && <MessageSection transfer={transfer} />}
      <HistorySection transfer={transfer} now={now} toStateText={toStateText} />
      <DescriptionSection text={transfer.order.description} />
      <FilesSection transfer={transfer} allFiles={allFiles} requestFiles={() => send({ type: 'listFiles' })} />
      <LicensesSection transfer={transfer} />
      <InstructionsSection transfer={transfer} />
    </>
  );
}

/**
 * Returns the display text for a state. For an unknown status, returns the server's own word (D10: open status set),
 * and for a refusal the text that tells it from a request that wasn't sent.
 */
function getStateText(transfer: PageTransfer, state: TransferState, states: PageState['states']): string {
  if (state === 'refused' && transfer.state === 'refused') return transfer.statusText;
  const reported = transfer.status?.status ?? '';
  if (state === 'running' && transfer.state === 'running' && reported !== '')
    return shortenText(reported, maxStateLength);
  return states[state] ?? state;
}

interface HeaderProps extends Pick<ScreenProps, 'transfer' | 'send'> {
  readonly isShared: boolean;
}

function Header({ transfer, isShared, send }: HeaderProps): VNode {
  const { canCancel, canSubmitAgain, id, paused, pauseChange, state } = transfer;
  const isUnconfirmed = state === 'notConfirmed';
  const again = isUnconfirmed ? l10n.t('Submit Again (Not Started)…') : l10n.t('Transfer Again…');
  const nextSteps = state === 'succeeded' ? listFileActions(transfer) : [];
  const actions = filterActions([
    paused && { intent: 'startService', label: l10n.t('Start Local Service'), isPrimary: true },
    pauseChange === 'resume' && { intent: 'resume', label: l10n.t('Resume Transfer'), isPrimary: true },
    pauseChange === 'pause' && { intent: 'pause', label: l10n.t('Pause Transfer') },
    canCancel && { intent: 'cancel', label: l10n.t('Cancel Transfer') },
    isUnconfirmed && { intent: 'didStart', label: l10n.t('Mark as Started…') },
    canSubmitAgain && { intent: 'submitAgain', label: again },
    id !== undefined && { intent: 'copyId', label: l10n.t('Copy ID') },
    { intent: 'reveal', label: l10n.t('Show in List') },
    isShared && { intent: 'keep', label: l10n.t('Keep Open') },
  ]);
  return (
    <header>
      <Heading transfer={transfer} />
      <StatusBadge transfer={transfer} />
      <ActionGroup label={l10n.t('Actions')} actions={[...nextSteps, ...actions]} onAction={(type) => send({ type })} />
    </header>
  );
}

function Heading({ transfer: { order, startedElsewhere } }: Pick<ScreenProps, 'transfer'>): VNode {
  if (startedElsewhere) return <h1 tabindex={-1}>{describeStartedElsewhere(l10n)}</h1>;
  return (
    <h1 tabindex={-1}>
      <ServerText>{shortenText(order.source, maxNameLength)}</ServerText>
      <Icon name="arrow" />
      <span class="spoken">{` ${l10n.t('to')} `}</span>
      <ServerText>{shortenText(order.destination, maxNameLength)}</ServerText>
    </h1>
  );
}

/** Renders the page for a transfer that was removed, or for any transfer until the history is read after a reload. */
function UnknownTransfer(): VNode {
  const text = l10n.t("This transfer isn't in the history, or the history is still loading.");
  return (
    <>
      <header>
        <h1 tabindex={-1}>{l10n.t('Transfer')}</h1>
      </header>
      <NoteBox note={{ key: 'unknown', kind: 'info', text }} onAction={() => undefined} />
    </>
  );
}
