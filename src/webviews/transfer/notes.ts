import * as l10n from '@vscode/l10n';
import type { PageTransfer } from '../../messages/transferMessages.ts';
import type { Format } from '../shared/format.ts';
import { remedyAction, type Note } from '../shared/note.ts';
import { movementOf } from './movement.ts';

/** What a person should know of a transfer beyond its state, the gravest first. */
export function notesOf(transfer: PageTransfer, stateWord: string, format: Format): readonly Note[] {
  const notes = [
    originNote(transfer),
    stateNote(transfer),
    outcomeNote(transfer, format),
    problemNote(transfer),
    cancelNote(transfer, stateWord),
    transfer.status?.doubtful
      ? note(
          'doubtful',
          'warning',
          l10n.t('What the server says seems to be about another transfer. It may not be true of this one.'),
        )
      : undefined,
    countNote(transfer, format),
  ];
  return notes.filter((entry): entry is Note => entry !== undefined);
}

function note(key: string, kind: Note['kind'], text: string): Note {
  return { key, kind, text };
}

function originNote({ startedElsewhere }: PageTransfer): Note | undefined {
  if (!startedElsewhere) return undefined;
  const text = l10n.t('This transfer was started elsewhere. Its databases and files are not known here.');
  return note('origin', 'info', text);
}

function stateNote({ state, problem, remedy, replacedBy }: PageTransfer): Note | undefined {
  if (state === 'refused' && replacedBy !== undefined)
    return note('state', 'info', l10n.t('You said that this transfer did not start, and submitted another one.'));
  if (state === 'refused')
    return {
      key: 'state',
      kind: 'error',
      text:
        problem === undefined ? l10n.t('The transfer was refused.') : l10n.t('The transfer was refused: {0}.', problem),
      ...remedyAction(remedy),
    };
  if (state === 'notConfirmed')
    return note(
      'state',
      'warning',
      l10n.t(
        "It isn't known whether the server accepted this transfer, so it isn't sent again automatically. Did it start? Look for a folder named dts- followed by an ID at the destination.",
      ),
    );
  if (state === 'expired')
    return note(
      'state',
      'info',
      l10n.t('The server no longer knows this transfer. What is shown is the last that it told.'),
    );
  if (state === 'inactive') return note('state', 'info', l10n.t('The server has suspended this transfer.'));
  return undefined;
}

/** Some servers drop files that they do not know without a word, and report success (D39). */
function outcomeNote({ outcome, progress, paused }: PageTransfer, format: Format): Note | undefined {
  if (paused) {
    const text = l10n.t('The local service is stopped. This transfer continues when you start it.');
    return note('paused', 'warning', text);
  }
  if (outcome !== 'partial') return undefined;
  const { moved = 0, total = 0 } = progress;
  if (total === 0) return note('outcome', 'warning', l10n.t('No files were transferred.'));
  const text = format.plural(
    total - moved,
    '{0} file was not transferred, although the service reported success. It may not know this file. Check its ID at the source.',
    '{0} files were not transferred, although the service reported success. It may not know these files. Check their IDs at the source.',
  );
  return note('outcome', 'warning', text);
}

function problemNote({ state, problem, remedy, ended }: PageTransfer): Note | undefined {
  if (problem === undefined || state === 'refused') return undefined;
  if (state === 'notConfirmed') return note('problem', 'info', l10n.t('What went wrong: {0}.', problem));
  if (ended) return undefined;
  const text = l10n.t('The status could not be asked for: {0}.', problem);
  return { key: 'problem', kind: 'warning', text, ...remedyAction(remedy) };
}

/** The public server never follows some cancels (D13): it is said, not hidden. */
function cancelNote({ cancelAcceptedAt, cancelUnheeded, ended }: PageTransfer, stateWord: string): Note | undefined {
  if (cancelAcceptedAt === undefined || ended) return undefined;
  if (cancelUnheeded)
    return note('cancel', 'warning', l10n.t('The cancel was accepted, but the server still says "{0}".', stateWord));
  return note('cancel', 'info', l10n.t('Cancellation accepted. Waiting for the server to confirm.'));
}

/** Compares the files that were requested with those that the server counts, unless the outcome says it all. */
function countNote(transfer: PageTransfer, format: Format): Note | undefined {
  const { countedByServer } = movementOf(transfer);
  if (countedByServer === undefined || transfer.outcome === 'partial') return undefined;
  const asked = format.number(transfer.askedFileCount);
  const counted = format.number(countedByServer);
  return note('count', 'warning', l10n.t('Files requested: {0}. Files that the service reports: {1}.', asked, counted));
}
