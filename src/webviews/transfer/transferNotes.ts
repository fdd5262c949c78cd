import * as l10n from '@vscode/l10n';
import { describeNothingTransferred } from '../../core/words/sharedSentences.ts';
import type { PageRemedy } from '../messages/pageMessages.ts';
import type { PageTransfer } from '../messages/transferMessages.ts';
import type { Format } from '../shared/format.ts';
import { listRemedies, type Note } from '../shared/note.ts';
import { shortenText, toReadableText, toVisibleText } from '../shared/text.ts';
import { getProgressCounts } from './transferProgress.ts';

type TransferNote = Note<'remedy'>;

const maxMessageLength = 10_000;

/** Lists the notes that supplement the status of a transfer, in display order. */
export function listTransferNotes(transfer: PageTransfer, stateText: string, format: Format): readonly TransferNote[] {
  const notes = [
    createOriginNote(transfer),
    createStateNote(transfer),
    createOutcomeNote(transfer, format),
    createProblemNote(transfer),
    createCancelNote(transfer, stateText),
    transfer.status?.doubtful
      ? createNote(
          'doubtful',
          'warning',
          l10n.t(
            "The service's latest responses seem to belong to another transfer, so the last known status is shown.",
          ),
        )
      : undefined,
    createCountNote(transfer, format),
  ];
  return notes.filter((entry): entry is TransferNote => entry !== undefined);
}

function createNote(key: string, kind: Note['kind'], text: string, remedy?: PageRemedy): TransferNote {
  return { key, kind, text, actions: listRemedies(remedy) };
}

function createOriginNote({ startedElsewhere }: PageTransfer): TransferNote | undefined {
  if (!startedElsewhere) return undefined;
  const text = l10n.t("This transfer was started elsewhere. Its databases and files aren't known here.");
  return createNote('origin', 'info', text);
}

function createStateNote(transfer: PageTransfer): TransferNote | undefined {
  switch (transfer.state) {
    case 'refused':
      return createRefusalNote(transfer);
    case 'notConfirmed':
      return createNote('state', 'warning', describeUnconfirmed(transfer));
    case 'expired': {
      const text = l10n.t('The server no longer has a record of this transfer. This is its last known status.');
      return createNote('state', 'info', text);
    }
    case 'inactive':
      return createNote('state', 'info', describeSuspension(transfer));
    default:
      return undefined;
  }
}

function describeUnconfirmed({ order: { folder } }: PageTransfer): string {
  const text = l10n.t(
    "The server didn't confirm this transfer. It may have started anyway, so it won't be sent again automatically.",
  );
  const place =
    folder === undefined
      ? l10n.t('Check the destination for a folder named dts- followed by an ID.')
      : l10n.t('Check the destination for a folder named {0}.', folder);
  return `${text} ${place}`;
}

/**
 * Describes a suspension, including the server's message without the transfer's ID, so that the page needs no separate
 * section for the message.
 */
function describeSuspension({ id, status }: PageTransfer): string {
  if (status?.isPaused) return l10n.t('You paused this transfer. Files already transferred are kept.');
  const message = toReadableText(status?.message);
  if (message === undefined) return l10n.t('The server has suspended this transfer.');
  const prefix = `Transfer ${id ?? ''}: `;
  const reason = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  const shown = shortenText(toVisibleText(reason), maxMessageLength);
  const [, cause] = /^waiting: (.+)$/su.exec(shown) ?? [];
  if (cause !== undefined) return l10n.t('This transfer is waiting: {0}', cause);
  return l10n.t('The server has suspended this transfer: {0}', shown);
}

function createRefusalNote({ problem, problemKind, remedy, replacedBy }: PageTransfer): TransferNote {
  if (replacedBy !== undefined)
    return createNote('state', 'info', l10n.t('You marked this transfer as not started and submitted it again.'));
  if (problem === undefined) return createNote('state', 'error', l10n.t('The transfer was refused.'), remedy);
  const text =
    problemKind === 'unsent' ? l10n.t('Not sent: {0}.', problem) : l10n.t('The transfer was refused: {0}.', problem);
  return createNote('state', 'error', text, remedy);
}

/**
 * Reports a paused transfer, or warns about files that the server silently left out although it reported success (D39:
 * server data display).
 */
function createOutcomeNote(transfer: PageTransfer, format: Format): TransferNote | undefined {
  const { outcome, progress, paused, status } = transfer;
  if (paused) {
    const text = status?.isPaused
      ? l10n.t('Start the local service before you resume this transfer.')
      : l10n.t('The local service is stopped. This transfer will resume when you start the service.');
    return createNote('paused', 'warning', text);
  }
  if (outcome !== 'partial') return undefined;
  const { moved = 0, total = 0 } = progress;
  if (total === 0) return createNote('outcome', 'warning', describeNothingTransferred(l10n));
  const text = format.plural(
    total - moved,
    "{0} file wasn't transferred, although the service reported success. The service may not recognize this file. Check its ID at the source.",
    "{0} files weren't transferred, although the service reported success. The service may not recognize these files. Check their IDs at the source.",
  );
  return createNote('outcome', 'warning', text);
}

function createProblemNote({ state, problem, problemKind, remedy, ended }: PageTransfer): TransferNote | undefined {
  if (problem === undefined || state === 'refused') return undefined;
  if (state === 'notConfirmed') return createNote('problem', 'info', l10n.t('Reason: {0}.', problem));
  if (ended) return undefined;
  if (problemKind === 'queued') return createNote('problem', 'info', l10n.t('Status update delayed: {0}.', problem));
  return createNote('problem', 'warning', l10n.t('Could not update the status: {0}.', problem), remedy);
}

/** Reports a cancellation that is pending or that the server ignores (D13: ignored cancel). */
function createCancelNote(
  { cancelAcceptedAt, cancelUnheeded, ended }: PageTransfer,
  stateText: string,
): TransferNote | undefined {
  if (cancelAcceptedAt === undefined || ended) return undefined;
  const unheeded = l10n.t('Cancellation accepted, but the server still reports {0}.', stateText);
  if (cancelUnheeded) return createNote('cancel', 'warning', unheeded);
  return createNote('cancel', 'info', l10n.t('Cancellation accepted. Waiting for the server to confirm.'));
}

/** Warns if the server reports a different number of files than requested, unless the outcome already implies it. */
function createCountNote(transfer: PageTransfer, format: Format): TransferNote | undefined {
  const { countedByServer } = getProgressCounts(transfer);
  if (countedByServer === undefined || transfer.outcome === 'partial') return undefined;
  const requested = format.number(transfer.requestedFileCount);
  const counted = format.number(countedByServer);
  return createNote(
    'count',
    'warning',
    l10n.t('Files requested: {0}. Files reported by the service: {1}.', requested, counted),
  );
}
