import * as l10n from '@vscode/l10n';
import type { TransferFile, TransferState } from '../../core/model/transfer.ts';
import {
  isTransferNews,
  type PageTransfer,
  type TransferIntent,
  type TransferNews,
  type TransferSnapshot,
} from '../../messages/transferMessages.ts';
import '../shared/page.css';
import './transfer.css';
import { openChannel } from '../shared/channel.ts';
import { button, element, foreign, onAction, type Child } from '../shared/dom.ts';
import { formatFor } from '../shared/format.ts';
import { icon } from '../shared/icons.ts';
import { readMore } from '../shared/more.ts';
import { noteBox } from '../shared/noteBox.ts';
import { Page } from '../shared/page.ts';
import { shortened } from '../shared/text.ts';
import { notesOf } from './notes.ts';
import {
  descriptionSection,
  elapsedText,
  factsStrip,
  filesSection,
  fillBar,
  historySection,
  instructionsSection,
  messageSection,
  progressSection,
  stateBadge,
  type TransferView,
} from './sections.ts';

const firstFiles = 200;
const longestName = 300;

const page = new Page();
let format = formatFor('en');
let states: Readonly<Record<string, string>> = {};
let shown: TransferSnapshot | undefined;
/** How far the host's clock is ahead of this one, in milliseconds. */
let clockOffsetMs = 0;
let allFiles: readonly TransferFile[] | undefined;
let fileLimit = firstFiles;

const channel = openChannel<TransferNews, TransferIntent>(isTransferNews, (news) => {
  if (news.type === 'files') {
    allFiles = news.files;
    draw();
    return;
  }
  if (news.type === 'start') {
    l10n.config({ contents: { ...news.words.bundle } });
    format = formatFor(news.words.language);
    states = news.states;
  }
  show(news.snapshot);
});

function show(snapshot: TransferSnapshot): void {
  const before = shown;
  shown = snapshot;
  clockOffsetMs = snapshot.now - Date.now();
  draw();
  channel.keep({ key: snapshot.key });
  announceChange(before?.transfer, snapshot.transfer);
}

/** Counts and messages change often and are not spoken; a change of state is. */
function announceChange(before: PageTransfer | undefined, now: PageTransfer | undefined): void {
  if (before === undefined || now === undefined || wordOf(before, before.state) === wordOf(now, now.state)) return;
  page.announce(
    l10n.t('The transfer to {0} is now: {1}.', shortened(now.order.destination, longestName), wordOf(now, now.state)),
  );
}

/** A word of the server that is not known is shown as it came (D10). */
function wordOf({ status, state }: PageTransfer, wanted: TransferState): string {
  const told = status?.status;
  if (wanted === 'running' && state === 'running' && told !== undefined && told !== '')
    return shortened(told, longestName);
  return states[wanted] ?? wanted;
}

function draw(): void {
  if (!shown) return;
  const { transfer } = shown;
  page.draw(transfer ? transferParts(transfer) : unknownParts());
  fillBar(page.root);
}

function transferParts(transfer: PageTransfer): readonly Child[] {
  const view: TransferView = { transfer, now: hostTime(), format, word: (state) => wordOf(transfer, state) };
  return [
    header(view),
    ...notesOf(transfer, view.word(transfer.state), format).map(noteBox),
    progressSection(view),
    factsStrip(view),
    messageSection(view),
    historySection(view),
    descriptionSection(view),
    filesSection(view, allFiles ?? transfer.firstFiles, fileLimit),
    instructionsSection(view),
  ];
}

function header(view: TransferView): HTMLElement {
  const { order, canCancel } = view.transfer;
  return element(
    'header',
    { 'data-key': 'header' },
    element(
      'h1',
      { tabindex: '-1' },
      foreign(shortened(order.source, longestName)),
      icon('arrow'),
      element('span', { class: 'spoken' }, l10n.t(' to ')),
      foreign(shortened(order.destination, longestName)),
    ),
    stateBadge(view),
    element(
      'div',
      { class: 'actions', role: 'group', 'aria-label': l10n.t('Actions') },
      canCancel ? button('cancel', l10n.t('Cancel Transfer')) : undefined,
      view.transfer.id === undefined ? undefined : button('copyId', l10n.t('Copy Id')),
    ),
  );
}

/** After a reload the history of transfers may not be read yet, or this one may have been removed from it. */
function unknownParts(): readonly Child[] {
  const text = l10n.t('This transfer is not in the history. It is shown here as soon as it is.');
  return [
    element('header', { 'data-key': 'header' }, element('h1', { tabindex: '-1' }, l10n.t('Transfer'))),
    noteBox({ key: 'unknown', kind: 'info', text }),
  ];
}

function hostTime(): number {
  return Date.now() + clockOffsetMs;
}

const intents: Readonly<Record<string, TransferIntent>> = { cancel: { type: 'cancel' }, copyId: { type: 'copyId' } };

onAction(page.root, (action, argument) => {
  const intent = intents[action];
  if (intent) channel.say(intent);
  if (action !== 'more') return;
  fileLimit = readMore(argument).limit;
  if (allFiles === undefined) channel.say({ type: 'listFiles' });
  else draw();
});

setInterval(() => {
  if (!shown?.transfer || shown.transfer.ended || document.hidden) return;
  const elapsed = page.root.querySelector('[data-live="elapsed"]');
  if (elapsed) elapsed.textContent = elapsedText(shown.transfer, hostTime(), format);
}, 1000);
