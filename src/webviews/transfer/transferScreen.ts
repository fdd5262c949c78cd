import * as l10n from '@vscode/l10n';
import type { TransferFile, TransferState } from '../../core/model/transfer.ts';
import {
  isTransferNews,
  type PageTransfer,
  type TransferIntent,
  type TransferNews,
  type TransferSnapshot,
} from '../../messages/transferMessages.ts';
import { openChannel, type Channel } from '../shared/channel.ts';
import { button, element, foreign, onAction, type Child } from '../shared/dom.ts';
import { formatFor, type Format } from '../shared/format.ts';
import { icon } from '../shared/icons.ts';
import { onFold } from '../shared/jsonTree.ts';
import { readMore } from '../shared/more.ts';
import { noteBox } from '../shared/noteBox.ts';
import { Page } from '../shared/page.ts';
import { placeNow, reopen } from '../shared/place.ts';
import { shortened } from '../shared/text.ts';
import { ViewState } from '../shared/viewState.ts';
import { movementSection } from './movementSection.ts';
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

/** In these the message of the server is what the person opens the page for. */
const reasonStates: ReadonlySet<TransferState> = new Set(['failed', 'inactive', 'unknown']);

const firstFiles = 200;
const longestName = 300;
const longestState = 40;
const tickMs = 1000;

const intents: Readonly<Record<string, TransferIntent>> = {
  cancel: { type: 'cancel' },
  submitAgain: { type: 'submitAgain' },
  didStart: { type: 'didStart' },
  startService: { type: 'startService' },
  copyId: { type: 'copyId' },
  reveal: { type: 'reveal' },
  remedy: { type: 'remedy' },
};

/** The transfer page: draws each snapshot, counts the seconds, and tells the host what the person wants. */
export class TransferScreen {
  private readonly page = new Page();
  private readonly view = new ViewState();
  private readonly channel: Channel<TransferIntent>;
  private format: Format = formatFor('en');
  private states: Readonly<Record<string, string>> = {};
  private shown: TransferSnapshot | undefined;
  private allFiles: readonly TransferFile[] | undefined;
  /** How far the host's clock is ahead of this one. */
  private clockOffsetMs = 0;

  constructor() {
    onAction(this.page.root, (action, argument) => this.act(action, argument));
    onFold(this.page.root, (path, open) => this.fold(path, open));
    document.addEventListener('scrollend', () => this.keep());
    setInterval(() => this.tick(), tickMs);
    this.channel = openChannel<TransferNews, TransferIntent>(isTransferNews, (news) => this.hear(news));
  }

  /** Asks the host for everything; its answer is the first thing that is drawn. */
  start(): void {
    this.channel.start();
  }

  private hear(news: TransferNews): void {
    if (news.type === 'files') {
      this.allFiles = news.files;
      this.draw();
      return;
    }
    if (news.type === 'start') {
      l10n.config({ contents: { ...news.words.bundle } });
      this.format = formatFor(news.words.language, news.words.bundle ? news.words.language : 'en');
      this.states = news.states;
    }
    this.show(news.snapshot);
  }

  private show(snapshot: TransferSnapshot): void {
    const before = this.shown;
    this.shown = snapshot;
    this.clockOffsetMs = snapshot.now - Date.now();
    const scrollY = before === undefined ? reopen(this.channel.kept(), snapshot.key, this.view) : undefined;
    this.draw();
    if (scrollY !== undefined) window.scrollTo(0, scrollY);
    this.keep();
    this.announceChange(before?.transfer, snapshot.transfer);
  }

  private keep(): void {
    if (this.shown) this.channel.keep({ key: this.shown.key, ...placeNow(this.shown.key, this.view) });
  }

  /** Counts and messages change often and are not spoken; a change of state is. */
  private announceChange(before: PageTransfer | undefined, now: PageTransfer | undefined): void {
    if (before === undefined || now === undefined) return;
    const word = now.statusText;
    if (word === before.statusText) return;
    const destination = shortened(now.order.destination, longestName);
    this.page.announce(
      now.startedElsewhere
        ? l10n.t('The transfer is now: {0}.', word)
        : l10n.t('The transfer to {0} is now: {1}.', destination, word),
    );
  }

  /** A word of the server that is not known is shown as it came (D10). */
  private wordOf({ status, state }: PageTransfer, wanted: TransferState): string {
    const told = status?.status ?? '';
    if (wanted === 'running' && state === 'running' && told !== '') return shortened(told, longestState);
    return this.states[wanted] ?? wanted;
  }

  private draw(): void {
    if (!this.shown) return;
    const { transfer } = this.shown;
    this.page.draw(transfer ? this.transferParts(transfer) : unknownParts());
    fillBar(this.page.root);
  }

  private transferParts(transfer: PageTransfer): readonly Child[] {
    const word = (state: TransferState): string => this.wordOf(transfer, state);
    const parts: TransferView = { transfer, now: this.hostTime(), format: this.format, word };
    const message = messageSection(parts);
    const isReason = reasonStates.has(transfer.state);
    return [
      header(parts),
      ...notesOf(transfer, word(transfer.state), this.format).map(noteBox),
      isReason ? message : undefined,
      progressSection(parts),
      factsStrip(parts),
      movementSection(parts, this.view),
      isReason ? undefined : message,
      historySection(parts),
      descriptionSection(parts),
      filesSection(parts, this.allFiles ?? transfer.firstFiles, this.view.limit('files', firstFiles)),
      instructionsSection(parts, this.view),
    ];
  }

  private act(action: string, argument: string): void {
    const intent = intents[action];
    if (intent) this.channel.say(intent);
    if (action !== 'more') return;
    const { path, limit } = readMore(argument);
    this.view.raiseLimit(path, limit);
    if (path === 'files' && this.allFiles === undefined) this.channel.say({ type: 'listFiles' });
    else this.draw();
  }

  private fold(path: string, open: boolean): void {
    if (this.view.isOpen(path) === open) return;
    this.view.setOpen(path, open);
    this.draw();
    this.keep();
  }

  private tick(): void {
    const transfer = this.shown?.transfer;
    if (!transfer || transfer.ended || document.hidden) return;
    const elapsed = this.page.root.querySelector('[data-live="elapsed"]');
    if (elapsed) elapsed.textContent = elapsedText(transfer, this.hostTime(), this.format);
  }

  private hostTime(): number {
    return Date.now() + this.clockOffsetMs;
  }
}

function header(parts: TransferView): HTMLElement {
  const { canCancel, canSubmitAgain, paused, state } = parts.transfer;
  const isUnsettled = state === 'notConfirmed';
  const again = isUnsettled ? l10n.t('It Did Not: Submit Again…') : l10n.t('Submit Again…');
  return element(
    'header',
    { 'data-key': 'header' },
    heading(parts.transfer),
    stateBadge(parts),
    element(
      'div',
      { class: 'actions', role: 'group', 'aria-label': l10n.t('Actions') },
      paused ? button('startService', l10n.t('Start Local Service'), { kind: 'primary' }) : undefined,
      canCancel ? button('cancel', l10n.t('Cancel Transfer')) : undefined,
      isUnsettled ? button('didStart', l10n.t('It Did Start…')) : undefined,
      canSubmitAgain ? button('submitAgain', again) : undefined,
      parts.transfer.id === undefined ? undefined : button('copyId', l10n.t('Copy Id')),
      button('reveal', l10n.t('Show in Tree')),
    ),
  );
}

function heading({ order, startedElsewhere }: PageTransfer): HTMLElement {
  if (startedElsewhere) return element('h1', { tabindex: '-1' }, l10n.t('Transfer started elsewhere'));
  return element(
    'h1',
    { tabindex: '-1' },
    foreign(shortened(order.source, longestName)),
    icon('arrow'),
    element('span', { class: 'spoken' }, ` ${l10n.t('to')} `),
    foreign(shortened(order.destination, longestName)),
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
