import * as l10n from '@vscode/l10n';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import {
  isMetadataNews,
  type MetadataIntent,
  type MetadataNews,
  type MetadataPageState,
  type MetadataSnapshot,
} from '../../messages/metadataMessages.ts';
import { openChannel, type Channel } from '../shared/channel.ts';
import { button, element, foreign, onAction, type Child } from '../shared/dom.ts';
import { formatFor, type Format } from '../shared/format.ts';
import { onFold } from '../shared/jsonTree.ts';
import { readMore } from '../shared/more.ts';
import { noteBox } from '../shared/noteBox.ts';
import { Page } from '../shared/page.ts';
import { placeNow, reopen } from '../shared/place.ts';
import { shortened, visibleText } from '../shared/text.ts';
import { ViewState } from '../shared/viewState.ts';
import { creditSection } from './creditSection.ts';
import { factsOf } from './facts.ts';
import { notesOf, spokenChange } from './notes.ts';
import {
  descriptionSection,
  factStrip,
  licencesSection,
  otherSection,
  schemaSection,
  sourcesSection,
} from './sections.ts';

const longestHeading = 300;
const longestRaw = 100_000;
/** In characters of JSON. */
const largestKeptLength = 200_000;

const intents: Readonly<Record<string, MetadataIntent>> = {
  transfer: { type: 'transfer' },
  copyId: { type: 'copyId' },
  showJson: { type: 'showJson' },
  copyHash: { type: 'copyHash' },
  keep: { type: 'keep' },
  retry: { type: 'retry' },
  remedy: { type: 'remedy' },
};

/** The metadata page: draws each snapshot, and tells the host what the person wants. */
export class MetadataScreen {
  private readonly page = new Page();
  private readonly view = new ViewState();
  private readonly channel: Channel<MetadataIntent>;
  private format: Format = formatFor('en');
  private shown: MetadataSnapshot | undefined;

  constructor() {
    onAction(this.page.root, (action, argument) => this.act(action, argument));
    onFold(this.page.root, (path, open) => this.fold(path, open));
    document.addEventListener('scrollend', () => this.keep());
    this.channel = openChannel<MetadataNews, MetadataIntent>(isMetadataNews, (news) => this.hear(news));
  }

  /** Asks the host for everything; its answer is the first thing that is drawn. */
  start(): void {
    this.channel.start();
  }

  private hear(news: MetadataNews): void {
    if (news.type === 'start') {
      l10n.config({ contents: { ...news.words.bundle } });
      this.format = formatFor(news.words.language, news.words.bundle ? news.words.language : 'en');
    }
    this.show(news.snapshot);
  }

  private show(snapshot: MetadataSnapshot): void {
    const before = this.shown;
    this.shown = snapshot;
    const subject = subjectOf(snapshot);
    const isAnother = before !== undefined && subjectOf(before) !== subject;
    if (isAnother) this.view.clear();
    const scrollY = before === undefined ? reopen(this.channel.kept(), subject, this.view) : undefined;
    this.draw();
    if (isAnother || scrollY !== undefined) window.scrollTo(0, scrollY ?? 0);
    this.keep();
    const sentence = before && spokenChange(before, snapshot);
    if (sentence !== undefined) this.page.announce(sentence);
  }

  private draw(): void {
    if (!this.shown) return;
    const { found, loading, staging } = this.shown;
    const heading = headingOf(this.shown);
    const parts = [
      element('div', { 'data-key': 'busy', class: loading ? 'busy on' : 'busy', 'aria-hidden': 'true' }),
      header(this.shown, heading),
      ...notesOf(this.shown, this.format).map(noteBox),
      loading && found === undefined ? waiting() : undefined,
      ...(found?.kind === 'file' ? this.fileParts(found, heading, staging) : []),
      found?.kind === 'unreadable' ? raw(found.text) : undefined,
    ];
    this.page.draw(parts, loading);
  }

  private fileParts(file: FileEntry, heading: string, staging: MetadataSnapshot['staging']): readonly Child[] {
    const { format, view } = this;
    return [
      factStrip(factsOf(file, format, staging)),
      descriptionSection(file),
      schemaSection(file, view, format),
      sourcesSection(file),
      licencesSection(file),
      creditSection(file, format),
      otherSection(file, heading, view, format),
    ];
  }

  /** A page that comes back after a reload shows this at once: nothing may be connected yet. */
  private keep(): void {
    if (!this.shown) return;
    const { ref, kept, staging, found, receivedAt, loading } = this.shown;
    const state: MetadataPageState = {
      ref: { ...ref, name: shortened(ref.name, longestHeading) },
      kept,
      ...(staging && { staging }),
    };
    const isWhole = found !== undefined && receivedAt !== undefined && !loading;
    const whole: MetadataPageState = isWhole ? { ...state, found, receivedAt } : state;
    const fitting = JSON.stringify(whole).length < largestKeptLength ? whole : state;
    this.channel.keep({ ...fitting, ...placeNow(subjectOf(this.shown), this.view) });
  }

  private act(action: string, argument: string): void {
    const intent = intents[action];
    if (intent) this.channel.say(intent);
    if (action !== 'more') return;
    const { path, limit } = readMore(argument);
    this.view.raiseLimit(path, limit);
    this.draw();
  }

  private fold(path: string, open: boolean): void {
    if (this.view.isOpen(path) === open) return;
    this.view.setOpen(path, open);
    this.draw();
    this.keep();
  }
}

function waiting(): HTMLElement {
  return element('p', { 'data-key': 'loading', class: 'loading' }, l10n.t('Asking the database…'));
}

function raw(text: string): HTMLElement {
  return element('pre', { 'data-key': 'raw' }, foreign(shortened(text, longestRaw)));
}

function subjectOf({ ref }: MetadataSnapshot): string {
  return JSON.stringify([ref.connectionId, ref.database, ref.id]);
}

function headingOf({ ref, found }: MetadataSnapshot): string {
  if (found?.kind !== 'file') return ref.name;
  return found.title === undefined || found.title === '' ? found.name : found.title;
}

function header({ ref, kept, found }: MetadataSnapshot, heading: string): HTMLElement {
  const path = found?.kind === 'file' ? found.path : undefined;
  return element(
    'header',
    { 'data-key': 'header' },
    element(
      'h1',
      { tabindex: '-1', title: heading.length > longestHeading ? shortened(heading, 3000) : undefined },
      foreign(shortened(heading, longestHeading)),
    ),
    element(
      'p',
      { class: 'where' },
      path === undefined ? undefined : foreign(shortened(path, 1000), 'code'),
      element('span', { class: 'database' }, l10n.t('in {0}', isolated(ref.database))),
    ),
    element(
      'div',
      { class: 'actions', role: 'group', 'aria-label': l10n.t('Actions') },
      button('transfer', l10n.t('Transfer…'), { kind: 'primary' }),
      button('copyId', l10n.t('Copy Id')),
      button('showJson', l10n.t('Show as JSON')),
      kept ? undefined : button('keep', l10n.t('Keep Open')),
    ),
  );
}

/** A name within a sentence, set apart so that its writing direction cannot spill over. */
function isolated(name: string): string {
  return `\u2068${visibleText(shortened(name, longestHeading))}\u2069`;
}
