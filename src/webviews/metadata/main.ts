import * as l10n from '@vscode/l10n';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import {
  isMetadataNews,
  type MetadataIntent,
  type MetadataNews,
  type MetadataPageState,
  type MetadataSnapshot,
} from '../../messages/metadataMessages.ts';
import '../shared/page.css';
import './metadata.css';
import { openChannel } from '../shared/channel.ts';
import { button, element, foreign, onAction, type Child } from '../shared/dom.ts';
import { formatFor } from '../shared/format.ts';
import { onFold } from '../shared/jsonTree.ts';
import { readMore } from '../shared/more.ts';
import { noteBox } from '../shared/noteBox.ts';
import { Page } from '../shared/page.ts';
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
const largestKeptLength = 200_000;

const page = new Page();
const view = new ViewState();
let format = formatFor('en');
let shown: MetadataSnapshot | undefined;

const channel = openChannel<MetadataNews, MetadataIntent>(isMetadataNews, (news) => {
  if (news.type === 'start') {
    l10n.config({ contents: { ...news.words.bundle } });
    format = formatFor(news.words.language);
  }
  show(news.snapshot);
});

function show(snapshot: MetadataSnapshot): void {
  const before = shown;
  shown = snapshot;
  const isAnother = before !== undefined && before.ref.id !== snapshot.ref.id;
  if (isAnother) view.clear();
  draw();
  if (isAnother) window.scrollTo(0, 0);
  keep(snapshot);
  const sentence = before && spokenChange(before, snapshot);
  if (sentence !== undefined) page.announce(sentence);
}

function draw(): void {
  if (!shown) return;
  const { found, loading } = shown;
  const heading = headingOf(shown);
  const parts = [
    element('div', { 'data-key': 'busy', class: loading ? 'busy on' : 'busy', 'aria-hidden': 'true' }),
    header(shown, heading),
    ...notesOf(shown, format).map(noteBox),
    loading && found === undefined
      ? element('p', { 'data-key': 'loading', class: 'loading' }, l10n.t('Asking the database…'))
      : undefined,
    ...(found?.kind === 'file' ? fileParts(found, heading) : []),
    found?.kind === 'unreadable'
      ? element('pre', { 'data-key': 'raw' }, foreign(shortened(found.text, 100_000)))
      : undefined,
  ];
  page.draw(parts, loading);
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

function fileParts(file: FileEntry, heading: string): readonly Child[] {
  return [
    factStrip(factsOf(file, format)),
    descriptionSection(file),
    schemaSection(file, view, format),
    sourcesSection(file),
    licencesSection(file),
    creditSection(file, format),
    otherSection(file, heading, view, format),
  ];
}

function keep({ ref, kept, found, asOf, loading }: MetadataSnapshot): void {
  const small: MetadataPageState = { ref: { ...ref, name: shortened(ref.name, longestHeading) }, kept };
  const whole = found === undefined ? small : { ...small, found, asOf: asOf ?? Date.now() };
  const isFresh = !loading || found === undefined;
  channel.keep(isFresh && JSON.stringify(whole).length < largestKeptLength ? whole : small);
}

const intents: Readonly<Record<string, MetadataIntent>> = {
  transfer: { type: 'transfer' },
  copyId: { type: 'copyId' },
  showJson: { type: 'showJson' },
  copyHash: { type: 'copyHash' },
  keep: { type: 'keep' },
  retry: { type: 'retry' },
};

onAction(page.root, (action, argument) => {
  const intent = intents[action];
  if (intent) channel.say(intent);
  if (action !== 'more') return;
  const { path, limit } = readMore(argument);
  view.raiseLimit(path, limit);
  draw();
});

onFold(page.root, (path, open) => {
  if (view.isOpen(path) === open) return;
  view.setOpen(path, open);
  draw();
});
